import type { TextBlock } from '../document.ts';
import { wordsOfLanguage } from './language-words.ts';
import { foldWord } from './fold-word.ts';

export interface Sentence {
  /** As it stands in the text, white space collapsed. */
  text: string;
  /** Index of its block. */
  block: number;
  /** Its place in the block, from 0. */
  place: number;
}

/** `Intl.Segmenter` takes no text at a time that would hold a process up. */
const pieceLength = 20_000;
const endsWithDot = /\.["'»”’)\]]*\s*$/;
const startsLower = /^[\s"'«“‘([]*\p{Ll}/u;
/** Characters at the end of a sentence that tell whether it is one. */
const toldBy = 200;
const lastWord = /([^\s("'«“‘[]+)\.\s*$/;
/** `George W.`, `U. S.`, `J.` at the beginning, not `vitamin C.` */
const initial = /(?:^|\p{Lu}[\p{L}'’-]*\.?\s+)[("“]?\p{Lu}\.\s*$/u;
/** German and its neighbours write ordinal numbers so: `am 3. Mai`. */
const ordinalLanguages = new Set(['de', 'da', 'nb', 'no', 'fi', 'cs', 'sk', 'hu', 'et', 'pl']);

function goesOn(before: string, after: string, language: string | null): boolean {
  if (!endsWithDot.test(before)) return false;
  if (startsLower.test(after)) return true;
  const end = before.slice(-toldBy);
  const word = lastWord.exec(end)?.[1];
  if (word === undefined) return false;
  if (initial.test(end)) return true;
  if (/^\d{1,2}$/.test(word)) return ordinalLanguages.has(language ?? '') && before.trim() !== `${word}.`;
  return wordsOfLanguage(language).abbreviations.has(foldWord(word));
}

function* pieces(text: string): Generator<string> {
  for (let start = 0; start < text.length;) {
    let end = Math.min(start + pieceLength, text.length);
    const space = end < text.length ? text.lastIndexOf(' ', end) : end;
    if (space > start) end = space;
    yield text.slice(start, end);
    start = end;
  }
}

/** A margin is hardly nearer, in characters. */
const leastMargin = 50;
const firstWord = (line: string): string => /^\S*/.exec(line)?.[0] ?? '';

/** Whether lines are those of running text that was broken at a margin: none has room for the next one's first word. */
function isBrokenAtMargin(lines: readonly string[]): boolean {
  const widest = lines.reduce((most, { length }) => Math.max(most, length), 0);
  // Two lines may as well be two items of a list.
  if (widest < leastMargin || lines.length < 3) return false;
  return lines.every((line, at) => {
    const next = lines[at + 1];
    return next === undefined || (line.includes(' ') && line.length + 1 + firstWord(next).length > widest);
  });
}

/** Lines of a text. Items of a list, cells of a row: no sentence goes from one to the next. */
function linesOf(text: string): string[] {
  const lines = text.split(/[\n\r\u2028\u2029]+/).map((line) => line.trim());
  const whole = isBrokenAtMargin(lines) ? [lines.join(' ')] : lines;
  return whole.flatMap((line) => line.split('\t')).map((line) => line.replace(/\s+/gu, ' ').trim());
}

/** The sentences of one text, as they stand in it but for white space. */
export function splitText(text: string, language: string | null): string[] {
  const segmenter = new Intl.Segmenter(language ?? 'en', { granularity: 'sentence' });
  const sentences: string[] = [];
  for (const line of linesOf(text)) {
    let open = '';
    for (const piece of pieces(line)) {
      for (const { segment } of segmenter.segment(piece)) {
        if (open !== '' && !goesOn(open, segment, language)) {
          sentences.push(open.trim());
          open = '';
        }
        open += segment;
      }
    }
    if (open.trim() !== '') sentences.push(open.trim());
  }
  return sentences;
}

/** The sentences of all blocks but headings. @param atMost a bound on their number. */
export function splitBlocks(
  blocks: readonly TextBlock[],
  language: string | null,
  atMost: number,
): { sentences: Sentence[]; isCut: boolean } {
  const sentences: Sentence[] = [];
  for (const [block, { text, isHeading }] of blocks.entries()) {
    if (isHeading === true) continue;
    for (const [place, sentence] of splitText(text, language).entries()) {
      if (sentences.length >= atMost) return { sentences, isCut: true };
      sentences.push({ text: sentence, block, place });
    }
  }
  return { sentences, isCut: false };
}
