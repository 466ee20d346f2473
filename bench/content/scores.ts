import type { CorpusPage } from './corpus.ts';
import { createRandom } from './random.ts';

/** The measures of the corpora's own score.py, page by page and over a set. */
export interface Output {
  text: string;
  title: string | null;
  author: string | null;
  date: string | null;
  confidence?: number;
}

const tokens = (text: string): string[] => text.match(/[\p{L}\p{N}\p{M}_]+/gu) ?? [];

function count(list: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

function overlap(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [key, n] of a) sum += Math.min(n, b.get(key) ?? 0);
  return sum;
}

function shingles(text: string): Map<string, number> {
  const list = tokens(text);
  const parts: string[] = [];
  for (let i = 0; i < Math.max(1, list.length - 3); i++) {
    const key = list.slice(i, i + 4).join('\u0001');
    if (key !== '') parts.push(key);
  }
  return count(parts);
}

const total = (counts: ReadonlyMap<string, number>): number => {
  let sum = 0;
  for (const n of counts.values()) sum += n;
  return sum;
};

/** Precision and recall of four-word shingles; null where there is nothing to be precise about. */
function shingleScore(truth: string, text: string): { p: number | null; r: number | null; f: number } {
  const [a, b] = [shingles(truth), shingles(text)];
  const [tp, inTruth, inText] = [overlap(a, b), total(a), total(b)];
  return {
    p: inText > 0 ? tp / inText : null,
    r: inTruth > 0 ? tp / inTruth : null,
    f: inText + inTruth > 0 ? (2 * tp) / (inText + inTruth) : 1,
  };
}

function wordScore(truth: string, text: string): number {
  const [ref, pred] = [tokens(truth.toLowerCase()), tokens(text.toLowerCase())];
  if (ref.length === 0) return pred.length === 0 ? 1 : 0;
  if (pred.length === 0) return 0;
  const common = overlap(count(pred), count(ref));
  return (2 * common) / (pred.length + ref.length);
}

/** 0 of none. */
export const mean = (list: readonly number[]): number =>
  list.length === 0 ? 0 : list.reduce((sum, n) => sum + n, 0) / list.length;

const resamples = 2_000;

/** Between which the mean of such pages lies, 95 of 100 times: percentiles of the means of samples drawn with replacement. */
function interval(list: readonly number[]): [low: number, high: number] {
  const random = createRandom(7);
  const means = Float64Array.from({ length: resamples }, () =>
    mean(list.map(() => list[Math.floor(random() * list.length)] as number)),
  ).sort();
  return [means[Math.floor(resamples * 0.025)] ?? 0, means[Math.floor(resamples * 0.975)] ?? 0];
}

function plainTitle(text: string | null | undefined): string {
  return (text ?? '')
    .replace(/\s+/g, ' ')
    .trim()
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u201c\u201d"'`´«»„]/g, '')
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/\s+/g, ' ')
    .trim();
}

function names(text: string | null | undefined): Set<string> {
  const plain = plainTitle(text).replace(/^(by|von|par|por|od|di)\s+/, '');
  const parts = plain.split(/\s*[;,/|&•·]\s*|\s+(?:and|und|et|y|e)\s+/);
  return new Set(parts.map((part) => part.replace(/^[ .:-]+|[ .:-]+$/g, '')).filter((part) => part !== ''));
}

function authorVerdict(truth: string | null | undefined, found: string | null): string {
  const [g, p] = [names(truth), names(found)];
  if (g.size === 0 && p.size === 0) return 'tn';
  if (p.size === 0) return 'fn';
  if (g.size === 0) return 'fp';
  if (g.size === p.size && [...g].every((name) => p.has(name))) return 'tp';
  return [...g].some((name) => p.has(name)) ? 'part' : 'wrong';
}

const f1 = (tp: number, fp: number, fn: number): number => (tp === 0 ? 0 : (2 * tp) / (2 * tp + fp + fn));

export interface Scores {
  pages: number;
  shF1?: number;
  shP?: number;
  shR?: number;
  wF1: number;
  types?: Record<string, { pages: number; wF1: number; interval: [low: number, high: number] }>;
  with?: number;
  without?: number;
  title?: number;
  author?: number;
  date?: number;
}

export function score(pages: readonly CorpusPage[], outputs: ReadonlyMap<string, Output>): Scores {
  const of = ({ id }: CorpusPage): Output =>
    outputs.get(id) ?? { text: '', title: null, author: null, date: null };
  const words = pages.map((page) => wordScore(page.gt.body, of(page).text));
  const found: Scores = { pages: pages.length, wF1: mean(words) };
  if (pages[0]?.corpus === 'articles') {
    const rows = pages.map((page) => shingleScore(page.gt.body, of(page).text));
    const p = mean(rows.map((row) => row.p).filter((n) => n !== null));
    const r = mean(rows.map((row) => row.r).filter((n) => n !== null));
    return { ...found, shF1: (2 * p * r) / (p + r), shP: p, shR: r };
  }
  const byType = Map.groupBy(pages.keys(), (index) => pages[index]?.gt.type ?? '-');
  found.types = Object.fromEntries(
    [...byType].map(([type, indexes]) => {
      const own = indexes.map((index) => words[index] ?? 0);
      return [type, { pages: own.length, wF1: mean(own), interval: interval(own) }];
    }),
  );
  const part = (page: CorpusPage, list: readonly string[] = []): number => {
    const text = of(page).text.toLowerCase();
    return list.length === 0
      ? 1
      : list.filter((one) => text.includes(one.toLowerCase())).length / list.length;
  };
  found.with = mean(pages.map((page) => part(page, page.gt.with)));
  found.without = mean(pages.map((page) => part(page, page.gt.without)));
  const titled = pages.filter((page) => page.gt.title);
  found.title = mean(
    titled.map((page) => (plainTitle(page.gt.title) === plainTitle(of(page).title) ? 1 : 0)),
  );
  const verdicts = count(pages.map((page) => authorVerdict(page.gt.author, of(page).author)));
  const n = (verdict: string): number => verdicts.get(verdict) ?? 0;
  found.author = f1(
    n('tp') + n('part') / 2,
    n('fp') + n('wrong') + n('part') / 2,
    n('fn') + n('wrong') + n('part') / 2,
  );
  let [tp, fp, fn] = [0, 0, 0];
  for (const page of pages) {
    const [g, d] = [page.gt.date?.slice(0, 10) ?? null, of(page).date?.slice(0, 10) ?? null];
    if (g !== null && g === d) tp++;
    else {
      if (d !== null) fp++;
      if (g !== null) fn++;
    }
  }
  found.date = f1(tp, fp, fn);
  return found;
}
