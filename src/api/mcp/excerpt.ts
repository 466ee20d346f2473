import { tokensOf } from '../../shared/tokens.ts';

/** A part of a text, and where it stands in it, in characters. */
export interface Excerpt {
  text: string;
  /** Null where it is not one part, but passages of several places. */
  range: { start: number; end: number } | null;
}

/** Longer lines are taken apart, so that one alone can fit. */
const longestPiece = 400;
const piecePattern = new RegExp(`[^\\n]{${longestPiece}}|[^\\n]*\\n|[^\\n]+$`, 'gu');

/** The longest beginning that is at most so many tokens; one character where none is. */
function cutPiece(piece: string, budget: number): string {
  const characters = [...piece];
  const beginning = (length: number) => characters.slice(0, length).join('');
  let fits = 1;
  for (let over = characters.length; over - fits > 1;) {
    const middle = (fits + over) >> 1;
    if (tokensOf(beginning(middle)) <= budget) fits = middle;
    else over = middle;
  }
  return beginning(fits);
}

/**
 * The beginning of a text that is at most so many tokens, cut at the end of a line where it can be. It is empty where
 * the text or the budget is. Counts no more of the text than it takes.
 */
export function cutToTokens(text: string, budget: number): string {
  if (budget <= 0) return '';
  let tokens = 0;
  let end = 0;
  for (const [piece] of text.matchAll(piecePattern)) {
    tokens += tokensOf(piece);
    if (tokens > budget) return end === 0 ? cutPiece(piece, budget) : text.slice(0, end);
    end += piece.length;
  }
  return text;
}

/** From a place on; at least one character, so that whoever reads on comes to the end. */
export function readFrom(text: string, start: number, budget: number): Excerpt {
  const part = cutToTokens(text.slice(start), Math.max(1, budget));
  return { text: part, range: { start, end: start + part.length } };
}

interface Heading {
  level: number;
  title: string;
  start: number;
}

const mostHeadings = 1_000;

export function listHeadings(text: string): Heading[] {
  const found: Heading[] = [];
  for (const { index, 1: marks = '', 2: title = '' } of text.matchAll(/^(#{1,6}) +(\S.*)$/gm)) {
    found.push({ level: marks.length, title: title.trim(), start: index });
    if (found.length === mostHeadings) break;
  }
  return found;
}

/** From a heading to the next one of its level or above; null where none has the words. */
export function readSection(text: string, title: string, budget: number): Excerpt | null {
  const headings = listHeadings(text);
  const wanted = title.trim().toLowerCase();
  const titles = headings.map((heading) => heading.title.toLowerCase());
  const exact = titles.indexOf(wanted);
  const at = exact === -1 ? titles.findIndex((it) => it.includes(wanted)) : exact;
  const heading = headings[at];
  if (heading === undefined) return null;
  const next = headings.slice(at + 1).find(({ level }) => level <= heading.level);
  return readFrom(text.slice(0, next?.start), heading.start, budget);
}

/** Written without spaces: a run of them is many words. */
const cjkPattern = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]+/u;
const splitAtCjk = new RegExp(`(${cjkPattern.source})`, 'u');

/** Each two characters that stand together, or the only one. */
function toPairs(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const isShort = (word: string) => /^[a-z]{1,2}$/.test(word);

/** In lower case. Short ones ("is", "to") only where there are no others ("AI"). */
function wordsOf(text: string): string[] {
  const parts = text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.flatMap((run) => run.split(splitAtCjk).filter(Boolean));
  const words = [...new Set(parts?.flatMap((part) => (cjkPattern.test(part) ? toPairs(part) : part)))];
  const long = words.filter((word) => !isShort(word));
  return long.length > 0 ? long : words;
}

/** Long ones as parts of others too ("sack" in "sacks"), short ones not ("go" in "good"). */
function toTest(word: string): (passage: string) => boolean {
  if (!isShort(word)) return (passage) => passage.includes(word);
  const alone = new RegExp(`(?<![\\p{L}\\p{N}])${word}(?![\\p{L}\\p{N}])`, 'u');
  return (passage) => alone.test(passage);
}

const mostPassages = 10_000;
const longestPassage = 1_500;
/** Of a text, in characters, and of a query: their product is the work. */
const mostSearched = 2_000_000;
export const mostWords = 20;

/** Paragraphs, list items and sections; longer ones in parts. */
function splitPassages(text: string): string[] {
  const long = new RegExp(`[^]{1,${longestPassage}}`, 'gu');
  return text.split(/\n{2,}|\n(?=#|- )/, mostPassages).flatMap((passage) => passage.match(long) ?? []);
}

/** With a mark where something is left out between two. */
const joinPassages = (passages: readonly string[], taken: readonly number[]) =>
  taken
    .map((index, at) => {
      const before = at === 0 ? '' : taken[at - 1] === index - 1 ? '\n' : '\n[…]\n';
      return before + (passages[index] ?? '');
    })
    .join('');

/**
 * The passages in which the words of a query stand, in the order of the text: those with most of its rarer words are
 * taken first until the budget is used up. Null where no word stands in the text.
 */
export function findPassages(text: string, query: string, budget: number): Excerpt | null {
  const passages = splitPassages(text.slice(0, mostSearched));
  const tests = wordsOf(query).slice(0, mostWords).map(toTest);
  const lower = passages.map((passage) => passage.toLowerCase());
  const scores = lower.map(() => 0);
  for (const test of tests) {
    const holding = [...lower.keys()].filter((index) => test(lower[index] ?? ''));
    const weight = Math.log(1 + passages.length / holding.length);
    for (const index of holding) scores[index] = (scores[index] ?? 0) + weight;
  }
  const scored = scores
    .map((score, index) => ({ index, score }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index);
  const taken: number[] = [];
  let tokens = 0;
  for (const { index } of scored) {
    tokens += tokensOf(passages[index] ?? '') + 4;
    if (tokens > budget) break;
    taken.push(index);
  }
  const best = scored[0];
  if (best === undefined) return null;
  // One that does not fit is cut.
  const chosen = taken.length > 0 ? taken.sort((a, b) => a - b) : [best.index];
  return { text: cutToTokens(joinPassages(passages, chosen), budget), range: null };
}
