import { splitText } from './extractive/sentences.ts';
import type { TextBlock } from './document.ts';
import { tokensOf } from '../../shared/tokens.ts';

export interface SplitTask {
  blocks: readonly TextBlock[];
  language: string | null;
  /** Of one part. */
  maxTokens: number;
  maxParts: number;
}

/** Consecutive blocks, by their indices: `from` up to but not including `to`. */
export interface Part {
  blocks: TextBlock[];
  tokens: number;
}

export interface SplitText {
  parts: Part[];
  /** There was more than fits into all the parts. */
  truncated: boolean;
}

/** A block that is larger than a part, cut between sentences; a sentence that is still too large, anywhere. */
function cutBlock(block: TextBlock, language: string | null, maxTokens: number): TextBlock[] {
  const pieces: string[] = [];
  let open = '';
  let openTokens = 0;
  // A token is at least a byte, so of this many characters none is too large.
  const atMost = Math.max(1, Math.floor(maxTokens / 3));
  const sentences = splitText(block.text, language).flatMap((sentence) =>
    tokensOf(sentence) <= maxTokens
      ? [sentence]
      : (sentence.match(new RegExp(`[^]{1,${atMost}}`, 'gu')) ?? []),
  );
  for (const sentence of sentences) {
    const tokens = tokensOf(` ${sentence}`) + 1;
    if (open !== '' && openTokens + tokens > maxTokens) {
      pieces.push(open);
      open = '';
      openTokens = 0;
    }
    open += open === '' ? sentence : ` ${sentence}`;
    openTokens += tokens;
  }
  if (open !== '') pieces.push(open);
  return pieces.map((text) => ({ ...block, text }));
}

/** Splits a text into parts of at most so many tokens, between blocks where it can. A task of the pool: pure. */
export default function splitParts({ blocks, language, maxTokens, maxParts }: SplitTask): SplitText {
  const parts: Part[] = [];
  let open: Part = { blocks: [], tokens: 0 };
  for (const block of blocks) {
    const whole = tokensOf(block.text) + 2;
    const pieces = whole <= maxTokens ? [block] : cutBlock(block, language, maxTokens - 2);
    for (const piece of pieces) {
      const tokens = pieces.length === 1 ? whole : tokensOf(piece.text) + 2;
      if (open.blocks.length > 0 && open.tokens + tokens > maxTokens) {
        parts.push(open);
        if (parts.length >= maxParts) return { parts, truncated: true };
        open = { blocks: [], tokens: 0 };
      }
      open.blocks.push(piece);
      open.tokens += tokens;
    }
  }
  if (open.blocks.length > 0) parts.push(open);
  return { parts, truncated: false };
}
