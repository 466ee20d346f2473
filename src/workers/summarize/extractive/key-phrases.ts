import type { RatedSentence } from './sentence-scores.ts';
import { readWords, type Token } from './words.ts';

interface Phrase {
  stems: string[];
  count: number;
  /** Of the first sentence that has it. */
  firstAt: number;
  /** Ways in which it is written, and how often. */
  surfaces: Map<string, number>;
}

const longestPhrase = 3;
/** Phrases that are kept in mind at once; those that came up once are forgotten first. */
const maxPhrases = 50_000;
const spaced = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Greek}\p{Script=Hangul}]/u;
const isNumber = /^[\d.,]+$/;

function* phrasesOf(tokens: readonly Token[]): Generator<readonly (Token & { topic: string })[]> {
  for (let start = 0; start < tokens.length; start++) {
    const phrase: (Token & { topic: string })[] = [];
    for (const token of tokens.slice(start, start + longestPhrase)) {
      if (token.topic === null || (phrase.length > 0 && !token.isJoined)) break;
      phrase.push({ ...token, topic: token.topic });
      yield phrase;
    }
  }
}

function write(phrase: readonly Token[]): string {
  const separator = spaced.test(phrase[0]?.surface ?? '') ? ' ' : '';
  return phrase.map(({ surface }) => surface).join(separator);
}

function gather(sentences: readonly RatedSentence[]): Phrase[] {
  const byStems = new Map<string, Phrase>();
  for (const [at, { words }] of sentences.entries()) {
    for (const phrase of phrasesOf(words.tokens)) {
      const stems = phrase.map(({ topic }) => topic);
      const key = stems.join(' ');
      const known = byStems.get(key) ?? { stems, count: 0, firstAt: at, surfaces: new Map<string, number>() };
      if (known.count === 0 && byStems.size >= maxPhrases) continue;
      const surface = write(phrase);
      known.count++;
      known.surfaces.set(surface, (known.surfaces.get(surface) ?? 0) + 1);
      byStems.set(key, known);
    }
  }
  return [...byStems.values()];
}

function mostUsed(surfaces: ReadonlyMap<string, number>): string {
  return [...surfaces].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
}

/**
 * Phrases of up to three words that the text is about: those that come up often, early and in the title, longer ones
 * before the words they are made of.
 */
export function findKeyPhrases(
  sentences: readonly RatedSentence[],
  { title, language }: { title: string | null; language: string | null },
  atMost: number,
): string[] {
  const titleStems = new Set(readWords(title ?? '', language).topical);
  const rated = gather(sentences).flatMap((phrase) => {
    const { stems, count, firstAt } = phrase;
    const inTitle = stems.filter((stem) => titleStems.has(stem)).length / stems.length;
    if (stems.some((stem) => isNumber.test(stem)) || (count < 2 && inTitle < 1)) return [];
    if (stems.length === 1 && (stems[0]?.length ?? 0) < (spaced.test(stems[0] ?? '') ? 3 : 2)) return [];
    const early = 1 + 1 / (1 + firstAt / 5);
    const length = stems.length === 1 ? 1 : 1.8;
    return [{ phrase, score: Math.log2(1 + count) * length * early * (1 + inTitle) }];
  });
  rated.sort((a, b) => b.score - a.score);
  const taken = new Set<string>();
  const topics: string[] = [];
  for (const { phrase } of rated) {
    if (topics.length >= atMost) break;
    if (phrase.stems.some((stem) => taken.has(stem))) continue;
    for (const stem of phrase.stems) taken.add(stem);
    topics.push(mostUsed(phrase.surfaces));
  }
  return topics;
}
