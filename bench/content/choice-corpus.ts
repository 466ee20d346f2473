import { readVisibleText } from '../../src/workers/page/html/visible-text.ts';
import { clientParts } from '../../test/support/client-parts.ts';
import { type CorpusPage, loadCorpus } from './corpus.ts';

/** A page whose HTML has this share of the words of its known text is whole without a browser. */
const wholeShare = 0.9;
const unseen =
  /<(script|style|template|noscript|svg|textarea|title|iframe|select|button)\b[^>]*>[^]*?<\/\1\s*>|<!--[^]*?-->/gi;

/** Where a part is put: behind a paragraph of the page's own text, behind one of what stands beside it, or anywhere. */
export type Place = 'content' | 'side' | 'middle';

/** A page of the corpus, by itself or with a part that only scripts bring. */
export interface ChoiceCase {
  page: CorpusPage;
  html: string;
  needsBrowser: boolean;
  /** Of a part that was put in. */
  kind: string | null;
  place: Place | null;
}

/** @returns one by one: the pages of a half, and each with some parts in each place, another in each page. */
export function* listChoiceCases(half: CorpusPage['half'], partsAPage = 2): Generator<ChoiceCase> {
  const parts = Object.entries(clientParts);
  let next = 0;
  for (const page of [...loadCorpus('pages'), ...loadCorpus('articles')]) {
    if (page.half !== half) continue;
    const { html } = page;
    const isWhole = shareOf(page) >= wholeShare;
    yield { page, html, needsBrowser: !isWhole, kind: null, place: null };
    if (!isWhole) continue;
    const places = findPlaces(page);
    for (let count = 0; count < partsAPage; count++) {
      const [kind, [first, second]] = parts[next++ % parts.length] as (typeof parts)[number];
      const part = half === 'tune' ? first : second;
      for (const [place, at] of places)
        yield { page, html: html.slice(0, at) + part + html.slice(at), needsBrowser: true, kind, place };
    }
  }
}

function shareOf({ html, gt }: CorpusPage): number {
  const has = new Set(wordsOf(readVisibleText(html)));
  const wanted = wordsOf(gt.body);
  return wanted.length === 0 ? 1 : wanted.filter((word) => has.has(word)).length / wanted.length;
}

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

function findPlaces({ html, gt }: CorpusPage): [Place, number][] {
  const seen = html.replace(unseen, (all) => ' '.repeat(all.length));
  const known = gt.body.replace(/\s+/g, ' ');
  const ends = [...seen.matchAll(/<\/(p|li|h[2-6])\s*>/gi)];
  const texts = ends.map(({ index }) => {
    const before = seen.slice(Math.max(0, index - 400), index);
    return before
      .slice(before.lastIndexOf('>') + 1)
      .replace(/\s+/g, ' ')
      .trim();
  });
  const isOwn = texts.map((text) => text.length >= 20 && known.includes(text.slice(-60)));
  const own = ends.filter((_, index) => isOwn[index]);
  const beside = ends.filter((_, index) => !isOwn[index] && (texts[index] ?? '').length >= 2);
  const places: [Place, RegExpExecArray | undefined][] = [
    ['content', own[Math.floor(own.length / 2)]],
    ['side', beside[Math.floor(beside.length * 0.75)]],
    ['middle', ends.find(({ index }) => index > html.length / 2)],
  ];
  return places.flatMap(([place, end]) => (end === undefined ? [] : [[place, end.index + end[0].length]]));
}
