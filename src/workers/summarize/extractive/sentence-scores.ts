import { wordsOfLanguage } from './language-words.ts';
import { rankByGraph, type SentenceVector, toVectors } from './sentence-graph.ts';
import type { Sentence } from './sentences.ts';
import { readWords, type Words } from './words.ts';

/** What speaks for a sentence or against it, each 0..1. */
export interface SentenceFeatures {
  isFirst: number;
  early: number;
  /** In the graph of the sentences around it. */
  central: number;
  /** How often its words occur in the text. */
  frequent: number;
  title: number;
  focus: number;
  short: number;
  long: number;
  pointsBack: number;
  /** It ends as no sentence does: a label, an entry of a list. */
  unfinished: number;
  clutter: number;
}

export type FeatureWeights = Readonly<Record<keyof SentenceFeatures, number>>;

/** Found on one half of the pages of `bench/summaries.ts`; the other half is what it measures. */
const featureWeights: FeatureWeights = {
  isFirst: 0.7,
  early: 1.3,
  central: 0.25,
  frequent: 0.3,
  title: 1.4,
  focus: 4,
  short: -0.2,
  long: -1.8,
  pointsBack: -0.15,
  unfinished: -0.5,
  clutter: -1.15,
};

export interface RatedSentence extends Sentence {
  words: Words;
  vector: SentenceVector;
  features: SentenceFeatures;
  score: number;
}

const earlySentences = 12;
const shortWords = 8;
const longWords = 38;
const finished = /[.!?。！？…؟।]["'»”’)\]」』]*$/u;
const clutter =
  /https?:\/\/|www\.|\S@[^\s@]+\.\S|©|\.{3}$|…$|[:：]$|\||^\W*$|\b(?:click here|read more|subscribe|sign up|newsletter|cookies?|photo by|all rights reserved|follow us|copyright)\b/i;

/** The share of `asked` that the sentence has, rare words counting for more. */
function coverage(
  asked: ReadonlySet<string>,
  has: readonly string[],
  weightOf: (word: string) => number,
): number {
  if (asked.size === 0) return 0;
  const words = new Set(has);
  let [found, all] = [0, 0];
  for (const word of asked) {
    const weight = weightOf(word);
    all += weight;
    if (words.has(word)) found += weight;
  }
  return all === 0 ? 0 : found / all;
}

/** Sentences whose likeness is compared with each other: the work is quadratic in it, and linear in the text. */
export const graphSize = 250;

function rankInWindows(vectors: readonly SentenceVector[]): number[] {
  const ranks: number[] = [];
  for (let start = 0; start < vectors.length; start += graphSize) {
    ranks.push(...rankByGraph(vectors.slice(start, start + graphSize)));
  }
  return ranks;
}

function countAll(words: readonly Words[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { topical } of words) for (const word of topical) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

export interface RatingOptions {
  title: string | null;
  focus: string | null;
  language: string | null;
}

/** Rates each sentence of a text. @param sentences all of them, in order. */
export function rateSentences(
  sentences: readonly Sentence[],
  { title, focus, language }: RatingOptions,
): RatedSentence[] {
  const { backReferences } = wordsOfLanguage(language);
  const words = sentences.map(({ text }) => readWords(text, language));
  const vectors = toVectors(words.map(({ topical }) => topical));
  const ranks = rankInWindows(vectors);
  const counts = countAll(words);
  const mostOften = [...counts.values()].reduce((a, b) => Math.max(a, b), 1);
  const rarity = (word: string) => 1 / Math.log(2 + (counts.get(word) ?? 0));
  const titleWords = new Set(readWords(title ?? '', language).topical);
  // What the text never says tells none of its sentences from another.
  const focusWords = new Set(readWords(focus ?? '', language).topical.filter((word) => counts.has(word)));

  return sentences.map((sentence, index) => {
    const own = words[index] as Words;
    const { all, topical } = own;
    const frequency = topical.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0);
    const features: SentenceFeatures = {
      isFirst: index === 0 ? 1 : 0,
      early: Math.max(0, 1 - index / earlySentences),
      central: ranks[index] ?? 0,
      frequent: topical.length === 0 ? 0 : frequency / topical.length / mostOften,
      title: coverage(titleWords, topical, rarity),
      focus: coverage(focusWords, topical, rarity),
      short: Math.max(0, 1 - all.length / shortWords),
      long: Math.min(1, Math.max(0, all.length / longWords - 1)),
      pointsBack: backReferences.has(all[0] ?? '') ? 1 : 0,
      unfinished: finished.test(sentence.text) ? 0 : 1,
      clutter: clutter.test(sentence.text) ? 1 : 0,
    };
    const score = scoreOf(features);
    return { ...sentence, words: own, vector: vectors[index] as SentenceVector, features, score };
  });
}

function scoreOf(features: SentenceFeatures): number {
  let sum = 0;
  for (const name of Object.keys(features) as (keyof SentenceFeatures)[]) {
    sum += featureWeights[name] * features[name];
  }
  return sum;
}
