import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';
import { tellFigure } from '../figures.ts';
import type { CorpusPage } from './corpus.ts';
import { listChoiceCases } from './choice-corpus.ts';

/** Right ones of how many. */
type Tally = Map<string, { right: number; all: number; wrong: string[] }>;

function count(tally: Tally, name: string, isRight: boolean, what: string): void {
  const entry = tally.get(name) ?? { right: 0, all: 0, wrong: [] };
  tally.set(name, entry);
  entry.all++;
  if (isRight) entry.right++;
  else entry.wrong.push(what);
}

function print(title: string, tally: Tally, isDetailed: boolean): void {
  console.log(`  ${title}`);
  for (const [name, { right, all, wrong }] of [...tally].sort(
    (a, b) => b[1].wrong.length - a[1].wrong.length,
  )) {
    const names = isDetailed ? `  ${wrong.slice(0, 12).join(' ')}` : '';
    console.log(`    ${name.padEnd(34)} ${`${right}/${all}`.padStart(9)}${names}`);
  }
}

/** The choice on a half of the corpus: how much of what scripts bring is in the answer, and who pays for it in vain. */
export function benchChoiceOnCorpus(half: CorpusPage['half'], isDetailed: boolean): void {
  const kinds: Tally = new Map();
  const places: Tally = new Map();
  const signs: Tally = new Map();
  const pages: Tally = new Map();
  let slowestMs = 0;
  for (const { page, html, needsBrowser, kind, place } of listChoiceCases(half)) {
    const start = performance.now();
    const { need } = judgePage({ html });
    slowestMs = Math.max(slowestMs, performance.now() - start);
    const isRight = (need !== null) === needsBrowser;
    if (kind !== null) {
      count(kinds, kind, isRight, `${page.id}/${place}`);
      count(places, `behind ${place}`, isRight, '');
    } else {
      count(
        pages,
        needsBrowser ? 'text that is not in the HTML' : 'whole without a browser',
        isRight,
        page.id,
      );
      if (!needsBrowser && need !== null) count(signs, need, false, page.id);
    }
  }
  console.log(`corpus, half ${half}; slowest choice ${slowestMs.toFixed(0)} ms`);
  print('pages as they are', pages, isDetailed);
  print('a browser for nothing, by the sign', signs, isDetailed);
  print('parts by script, by where they stand', places, false);
  print('parts by script, by kind', kinds, isDetailed);
  const all = [...kinds.values()];
  const right = all.reduce((sum, one) => sum + one.right, 0) / all.reduce((sum, one) => sum + one.all, 0);
  const whole = pages.get('whole without a browser') ?? { right: 0, all: 1 };
  const inVain = 1 - whole.right / whole.all;
  console.log(
    `  content present ${(right * 100).toFixed(1)} %, a browser for nothing ${(inVain * 100).toFixed(1)} %`,
  );
  tellFigure({ what: `${half}: content present`, value: right * 100, unit: '%' });
  tellFigure({ what: `${half}: browser for nothing`, value: inVain * 100, unit: '%' });
}
