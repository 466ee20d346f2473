import { gfm as joplin } from '@joplin/turndown-plugin-gfm';
import { Readability } from '@mozilla/readability';
import { Defuddle } from 'defuddle/node';
import { parseHTML } from 'linkedom';
import rehypeParse from 'rehype-parse';
import rehypeRemark from 'rehype-remark';
import remarkGfm from 'remark-gfm';
import remarkStringify from 'remark-stringify';
import TurndownService from 'turndown';
import { unified } from 'unified';
import extractPage from '../src/workers/extract/extract-page.ts';
import { convertHtml } from '../src/workers/markdown/make-markdown.ts';
import { type CorpusPage, loadCorpus } from './content/corpus.ts';
import { isExact, loadCases } from './content/round-trip.ts';
import { mean, type Output, score, type Scores } from './content/scores.ts';
import { median } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * Extraction and markdown against the libraries, in the same run, on both halves of each corpus. Arguments pick what is
 * run: `extract`, `markdown`, `quarry` (without the libraries), `tune` (that half only).
 */
const wanted = new Set(process.argv.slice(2));
const onlyOurs = wanted.has('quarry');
const runs = (part: string): boolean =>
  wanted.has(part) || !(wanted.has('extract') || wanted.has('markdown'));

type Extractor = (page: CorpusPage) => Output | Promise<Output>;

const ours: Extractor = ({ html, url }) => {
  const page = extractPage({ html, url });
  return {
    text: page.text,
    title: page.title,
    author: page.byline,
    date: page.publishedAt,
    confidence: page.confidence,
  };
};
/** What a user of Readability gets: line breaks where its HTML has blocks. */
const readability: Extractor = ({ html }) => {
  const article = new Readability(parseHTML(html).document as never).parse();
  const text = (article?.content ?? '').replace(
    /<\/?(?:p|div|li|h\d|tr|br|pre|blockquote|section|td|th)\b[^>]*>/g,
    '\n',
  );
  return {
    text: parseHTML(`<html><body>${text}</body></html>`).document.body.textContent ?? '',
    title: article?.title ?? null,
    author: article?.byline ?? null,
    date: article?.publishedTime ?? null,
  };
};
const defuddle: Extractor = async ({ html, url }) => {
  const { document } = parseHTML(html);
  const found = await Defuddle(document as never, url);
  const text = found.content.replace(
    /<\/?(?:p|div|li|h\d|tr|br|pre|blockquote|section|td|th)\b[^>]*>/g,
    '\n',
  );
  return {
    text: parseHTML(`<html><body>${text}</body></html>`).document.body.textContent ?? '',
    title: found.title,
    author: found.author,
    date: found.published,
  };
};

const percent = (value: number | undefined): string =>
  value === undefined ? '  -  ' : (value * 100).toFixed(1).padStart(5);

function describe({ shF1, shP, shR, wF1, title, author, date, with: found, without, types }: Scores): string {
  if (shF1 !== undefined)
    return `shF1 ${percent(shF1)} (P ${percent(shP)} R ${percent(shR)})  wF1 ${percent(wF1)}`;
  const byType = Object.entries(types ?? {}).map(
    ([type, own]) =>
      `${type} ${percent(own.wF1)} [${own.interval.map((bound) => Math.round(bound * 100)).join('-')}] (${own.pages})`,
  );
  return `wF1 ${percent(wF1)}  title ${percent(title)}  author ${percent(author)}  date ${percent(date)}  with ${percent(found)}  without ${percent(without)}\n${' '.repeat(28)}${byType.join('  ')}`;
}

async function benchExtraction(): Promise<void> {
  const extractors: Record<string, Extractor> = onlyOurs
    ? { Quarry: ours }
    : { Quarry: ours, Readability: readability, Defuddle: defuddle };
  const all: CorpusPage[] = [];
  const answers = new Map<string, Output>();
  for (const corpus of ['articles', 'pages'] as const) {
    const pages = loadCorpus(corpus).filter(({ half }) => !wanted.has('tune') || half === 'tune');
    console.log(`\n${corpus}: ${pages.length} pages`);
    const times = new Map<string, number[]>();
    const outputs = new Map<string, Map<string, Output>>();
    for (const page of pages) {
      for (const [name, extract] of Object.entries(extractors)) {
        const start = performance.now();
        let output: Output = { text: '', title: null, author: null, date: null };
        try {
          output = await extract(page);
        } catch {
          // A library that cannot cope has found nothing.
        }
        times.set(name, [...(times.get(name) ?? []), performance.now() - start]);
        outputs.set(name, (outputs.get(name) ?? new Map()).set(page.id, output));
      }
    }
    for (const name of Object.keys(extractors)) {
      const found = outputs.get(name) ?? new Map<string, Output>();
      for (const half of ['tune', 'held-out', 'all'] as const) {
        const part = pages.filter((page) => half === 'all' || page.half === half);
        if (half === 'held-out' && part.length > 0)
          tellFigure({ what: `${corpus}, held out, ${name}, wF1`, value: score(part, found).wF1, unit: '' });
        if (part.length > 0)
          console.log(`  ${name.padEnd(12)} ${half.padEnd(9)}   ${describe(score(part, found))}`);
      }
      const own = times.get(name) ?? [];
      console.log(
        `  ${name.padEnd(12)} a page: median ${median(own).toFixed(1)} ms, mean ${mean(own).toFixed(1)} ms`,
      );
    }
    for (const page of pages) {
      all.push(page);
      const answer = outputs.get('Quarry')?.get(page.id);
      if (answer !== undefined) answers.set(page.id, answer);
    }
  }
  benchConfidence(all, answers);
}

const bounds = [0, 0.3, 0.5, 0.7, 0.85];
const bad = 0.5;

/** Whether `confidence` is what becomes true: the quality of pages by how sure of them the extraction was. */
function benchConfidence(pages: readonly CorpusPage[], outputs: ReadonlyMap<string, Output>): void {
  const qualityOf = (page: CorpusPage): number => score([page], outputs).wF1;
  for (const half of ['tune', 'held-out'] as const) {
    const own = pages.filter((page) => page.half === half);
    const told = own.filter(({ id }) => outputs.get(id)?.text !== '');
    if (told.length === 0) continue;
    console.log(
      `\nconfidence, ${half}: ${told.length} pages of both corpora; ${own.length - told.length} without text`,
    );
    for (const [n, from] of bounds.entries()) {
      const below = bounds[n + 1] ?? Infinity;
      const sure = (page: CorpusPage): number => outputs.get(page.id)?.confidence ?? 0;
      const band = told.filter((page) => sure(page) >= from && sure(page) < below);
      const qualities = band.map(qualityOf);
      const isBad = qualities.filter((quality) => quality < bad).length;
      console.log(
        `  from ${from.toFixed(2)}   ${String(band.length).padStart(3)} pages   confidence ${percent(mean(band.map(sure)))}   wF1 ${percent(mean(qualities))}   under ${bad}: ${isBad}`,
      );
    }
  }
}

function createTurndown(): (html: string) => string {
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced' });
  service.use(joplin);
  return (html) => service.turndown(html);
}

function benchMarkdown(): void {
  const remark = unified().use(rehypeParse).use(rehypeRemark).use(remarkGfm).use(remarkStringify);
  const convert = (html: string): string => convertHtml(html, { base: null, links: 'inline', images: true });
  const converters: Record<string, (html: string) => string> = onlyOurs
    ? { Quarry: convert }
    : {
        Quarry: convert,
        turndown: createTurndown(),
        'rehype-remark': (html) => String(remark.processSync(html)),
      };
  console.log('\nmarkdown: exact round trips, percent');
  const attempt = (html: string, run: (html: string) => string): string => {
    try {
      return run(html);
    } catch {
      return '';
    }
  };
  for (const [name, run] of Object.entries(converters)) {
    const figures = ['commonmark', 'gfm', 'custom'].map((set) => {
      const cases = loadCases(set);
      return `${set} ${percent(cases.filter((one) => isExact(one, attempt(one.html, run))).length / cases.length)}`;
    });
    console.log(`  ${name.padEnd(14)} ${figures.join('  ')}`);
  }
  const articles = loadCorpus('articles').map(({ html, url }) => extractPage({ html, url }).html);
  const size = articles.reduce((sum, html) => sum + html.length, 0);
  const order = Object.entries(converters);
  const totals = new Map<string, number>();
  for (let round = 0; round < 3; round++) {
    for (const [name, run] of order) {
      const start = process.cpuUsage();
      for (const html of articles) attempt(html, run);
      const { user, system } = process.cpuUsage(start);
      totals.set(name, Math.min(totals.get(name) ?? Infinity, (user + system) / 1e6));
    }
  }
  for (const [name, seconds] of totals) {
    console.log(
      `  ${name.padEnd(14)} ${(size / 1e6 / seconds).toFixed(1)} MB of content a CPU second (${articles.length} whole articles)`,
    );
  }
}

if (runs('extract')) await benchExtraction();
if (runs('markdown')) benchMarkdown();
