import { splitText } from './extractive/sentences.ts';
import type { TextBlock } from './document.ts';
import { tokensOf } from '../../shared/tokens.ts';

export interface SplitTask {
  blocks: readonly TextBlock[];
  language: string | null;
  /** Of one chunk. */
  maxTokens: number;
  maxChunks: number;
}

/** Consecutive blocks, some of them parts of a longer one, that fit a prompt together. */
export interface Chunk {
  blocks: TextBlock[];
  tokens: number;
}

export interface SplitText {
  chunks: Chunk[];
  /** There was more than fits into all the chunks. */
  truncated: boolean;
}

/** A block that is larger than a chunk, cut between sentences; a sentence that is still too large, anywhere. */
function cutBlock(block: TextBlock, language: string | null, maxTokens: number): TextBlock[] {
  const texts: string[] = [];
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
      texts.push(open);
      open = '';
      openTokens = 0;
    }
    open += open === '' ? sentence : ` ${sentence}`;
    openTokens += tokens;
  }
  if (open !== '') texts.push(open);
  return texts.map((text) => ({ ...block, text }));
}

/** Splits a text into chunks of at most so many tokens, between blocks where it can. A task of the pool: pure. */
export default function splitChunks({ blocks, language, maxTokens, maxChunks }: SplitTask): SplitText {
  const chunks: Chunk[] = [];
  let open: Chunk = { blocks: [], tokens: 0 };
  for (const block of blocks) {
    const whole = tokensOf(block.text) + 2;
    const fitting = whole <= maxTokens ? [block] : cutBlock(block, language, maxTokens - 2);
    for (const part of fitting) {
      const tokens = fitting.length === 1 ? whole : tokensOf(part.text) + 2;
      if (open.blocks.length > 0 && open.tokens + tokens > maxTokens) {
        chunks.push(open);
        if (chunks.length >= maxChunks) return { chunks, truncated: true };
        open = { blocks: [], tokens: 0 };
      }
      open.blocks.push(part);
      open.tokens += tokens;
    }
  }
  if (open.blocks.length > 0) chunks.push(open);
  return { chunks, truncated: false };
}
