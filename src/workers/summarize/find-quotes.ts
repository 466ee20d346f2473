import type { TextBlock } from './document.ts';

export interface QuotesTask {
  blocks: readonly TextBlock[];
  quotes: readonly string[];
  /** Of speech: who writes it down chooses its capitals, full stops and commas, so they are not compared. */
  isSpoken?: boolean;
}

export interface FoundQuote {
  /** As it stands in the text, white space collapsed. */
  text: string;
  /** Index of the block in which it begins. */
  block: number;
}

/** Fewer folded characters stand in any text. */
const shortestQuote = 8;
const quotationMarks = /["'`´‘’‚‛“”„‟«»‹›「」『』＂＇]/;
const dashes = /[‐‑‒–—―−]/;
const unseen = /[\s\u00ad\u200b-\u200f\u2060\ufeff]/;

const stops = /[.,;:!?…。、，；：！？؟،।]/;

/** A character as quotes are compared: no white space, no quotation marks, one dash, one ellipsis. */
function fold(character: string, isSpoken: boolean): string {
  if (isSpoken && stops.test(character)) return '';
  if (unseen.test(character) || quotationMarks.test(character)) return '';
  if (dashes.test(character)) return '-';
  if (character === '…') return '...';
  return isSpoken ? character.toLowerCase() : character;
}

interface FoldedText {
  folded: string;
  /** Where each folded character stands in the text. */
  origins: Uint32Array;
}

function foldText(text: string, isSpoken: boolean): FoldedText {
  let folded = '';
  const origins: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const part = fold(text.charAt(at), isSpoken);
    for (let count = 0; count < part.length; count++) origins.push(at);
    folded += part;
  }
  return { folded, origins: Uint32Array.from(origins) };
}

const outer = /^[\s"'`´‘’‚‛“”„‟«»‹›「」『』.…]+|[\s"'`´‘’‚‛“”„‟«»‹›「」『』…]+$/gu;

/**
 * Looks quotes up in a text, white space and quotation marks folded. A task of the pool: pure, linear in the text.
 * @returns for each quote how it stands in the text, or null where it does not.
 */
export default function findQuotes({ blocks, quotes, isSpoken = false }: QuotesTask): (FoundQuote | null)[] {
  const starts: number[] = [];
  let text = '';
  for (const block of blocks) {
    starts.push(text.length);
    text += `${block.text}\n`;
  }
  const { folded, origins } = foldText(text, isSpoken);
  return quotes.map((quote) => {
    const asked = foldText(quote.replace(outer, ''), isSpoken).folded;
    if (asked.length < shortestQuote) return null;
    const at = folded.indexOf(asked);
    if (at < 0) return null;
    const [start, last] = [origins[at] ?? 0, origins[at + asked.length - 1] ?? 0];
    const after = starts.findIndex((blockStart) => blockStart > start);
    return {
      text: text.slice(start, last + 1).replace(/\s+/gu, ' '),
      block: after < 0 ? starts.length - 1 : after - 1,
    };
  });
}
