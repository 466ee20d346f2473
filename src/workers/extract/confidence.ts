import { readFileSync } from 'node:fs';
import { type Candidate, type Choice, expectedF1 } from './pick-blocks.ts';

/** What tells how good a choice of blocks is. */
export interface Signs {
  /** Log odds of the F1 that the likelihoods of the blocks promise: the model is too sure of itself on sites that it has not seen. */
  promised: number;
  /** 1 where blocks were taken that are under the bound: they promise little, and are right more often than that. */
  widened: number;
  /** 1 on an article that Readability has found too. */
  agreed: number;
  /** F1 of the choice, were the text that Readability takes the true one. */
  readable: number;
}

/** Weights of a logistic regression of F1, fitted by `npm run bench:content-train confidence`. */
export interface ConfidenceModel {
  bias: number;
  weights: Signs;
}

export const confidenceFile = 'confidence-model.json';

const fitted = JSON.parse(
  readFileSync(new URL(`./${confidenceFile}`, import.meta.url), 'utf8'),
) as ConfidenceModel;

/** Beyond it, what the blocks promise says no more. */
const surest = 0.98;

const logOdds = (p: number): number => Math.log(p / (1 - p));

/** @returns null where nothing is taken. */
export function tellSigns(blocks: readonly Candidate[], { picked, agreed, widened }: Choice): Signs | null {
  let [taken, found, both] = [0, 0, 0];
  for (const [i, { words, readable }] of blocks.entries()) {
    if (readable >= 0.5) found += words;
    if (picked[i] !== 1) continue;
    taken += words;
    if (readable >= 0.5) both += words;
  }
  if (taken === 0) return null;
  const promised = Math.min(surest, Math.max(1 - surest, expectedF1(blocks, picked)));
  return {
    promised: logOdds(promised),
    widened: Number(widened),
    agreed: Number(agreed),
    readable: (2 * both) / (taken + found),
  };
}

/** The F1 against the page's true content that is to be expected of a choice with such signs, 0 to 1; 0 of an empty one. */
export function expectQuality(signs: Signs | null, { bias, weights } = fitted): number {
  if (signs === null) return 0;
  const sum = (Object.keys(weights) as (keyof Signs)[]).reduce(
    (total, sign) => total + weights[sign] * signs[sign],
    bias,
  );
  return 1 / (1 + Math.exp(-sum));
}
