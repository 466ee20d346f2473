import type { SummaryDocument } from '../document.ts';
import { findKeyPhrases } from './key-phrases.ts';
import { selectDiverse } from './select.ts';
import { graphSize, type RatedSentence, rateSentences } from './sentence-scores.ts';
import { splitBlocks } from './sentences.ts';

export type SummaryLength = 'short' | 'medium' | 'long';

export interface ExtractTask {
  document: SummaryDocument;
  length: SummaryLength;
  /** What the reader wants to know; its words draw sentences. */
  focus: string | null;
}

export interface ExtractedSentence {
  text: string;
  /** Index of its block in the document. */
  block: number;
}

export interface ExtractedSummary {
  sentences: ExtractedSentence[];
  keyPoints: ExtractedSentence[];
  topics: string[];
  /** The text has more sentences than are looked at. */
  truncated: boolean;
}

const sizes: Record<SummaryLength, { sentences: number; keyPoints: number; topics: number }> = {
  short: { sentences: 2, keyPoints: 3, topics: 5 },
  medium: { sentences: 3, keyPoints: 5, topics: 8 },
  long: { sentences: 7, keyPoints: 8, topics: 12 },
};

/** A text of 2,000 pages has as many. */
const maxSentences = 40_000;
/** Longer ones are lists or damage, not sentences. */
const longestSentence = 800;
/** Shorter ones stand for nothing by themselves. */
const shortestSentence = 14;

const hasWord = /[\p{L}\p{N}]/u;

function inOrder(chosen: readonly RatedSentence[]): ExtractedSentence[] {
  return [...chosen]
    .sort((a, b) => a.block - b.block || a.place - b.place)
    .map(({ text, block }) => ({ text, block }));
}

/** Where no mark ends a sentence, as in Thai, it is a whole text: its beginning, up to the end of a word. */
function shortened(sentence: RatedSentence): RatedSentence {
  const { text } = sentence;
  if (text.length <= longestSentence) return sentence;
  const words = new Intl.Segmenter(undefined, { granularity: 'word' });
  const next = words.segment(text.slice(0, longestSentence + shortestSentence)).containing(longestSentence);
  const end = next === undefined || next.index === 0 ? longestSentence : next.index;
  return { ...sentence, text: text.slice(0, end).trimEnd().toWellFormed() };
}

/** From the beginning, where a text says what it is about: so many, or half of more. */
const fromOpening = 3;

/** Of a text that goes on for long, the rest has its share of what is more than a few sentences. */
function choose(
  rated: readonly RatedSentence[],
  count: number,
  beside: readonly RatedSentence[],
): RatedSentence[] {
  if (rated.length <= graphSize) return selectDiverse(rated, count, beside);
  const [opening, rest] = [rated.slice(0, graphSize), rated.slice(graphSize)];
  const first = selectDiverse(opening, Math.min(count, Math.max(fromOpening, Math.ceil(count / 2))), beside);
  return [...first, ...selectDiverse(rest, count - first.length, [...beside, ...first])];
}

/**
 * Summarises a text by its own sentences: each is rated by its place, its centrality in the graph of sentences, and
 * the words that it shares with the title, the text and the focus; the best that do not repeat each other are taken.
 * A task of the pool: pure, linear in the text.
 */
export default function extractSummary({ document, length, focus }: ExtractTask): ExtractedSummary {
  const { title, language, blocks } = document;
  const { sentences, isCut } = splitBlocks(blocks, language, maxSentences);
  const rated = rateSentences(sentences, { title, focus, language });
  const size = sizes[length];
  const able = rated.filter(
    ({ text, words }) =>
      text.length >= shortestSentence && text.length <= longestSentence && words.topical.length > 0,
  );
  // A text of one line, or of one long list, is told by the best that it has.
  const said = able.length > 0 ? [] : rated.filter(({ text }) => hasWord.test(text));
  const best = able.length > 0 ? choose(able, size.sentences, []) : selectDiverse(said, 1).map(shortened);
  const others = choose(able, size.keyPoints, best);
  return {
    sentences: inOrder(best),
    keyPoints: inOrder(others),
    topics: findKeyPhrases(rated, { title, language }, size.topics),
    truncated: isCut,
  };
}
