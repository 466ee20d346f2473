import type { TextBlock } from './document.ts';
import { countWords } from './extractive/words.ts';
import { readingMinutes } from '../extract/text-figures.ts';
import { detectLanguage } from '../extract/text-language.ts';

export interface MeasureTask {
  blocks: readonly TextBlock[];
  /** What the page says of itself, e.g. `de-AT`. */
  declaredLanguage: string | null;
}

export interface MeasuredText {
  /** ISO 639-1; null where nothing tells. */
  language: string | null;
  wordCount: number;
  readingMinutes: number;
}

/** What is counted in a text. A task of the pool: pure. */
export default function measureText({ blocks, declaredLanguage }: MeasureTask): MeasuredText {
  const sample = blocks
    .slice(0, 50)
    .map(({ text }) => text)
    .join('\n');
  const language = detectLanguage(sample, declaredLanguage);
  const wordCount = blocks.reduce((sum, { text }) => sum + countWords(text, language), 0);
  return { language, wordCount, readingMinutes: readingMinutes(wordCount) };
}
