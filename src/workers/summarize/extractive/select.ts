import { cosine } from './sentence-graph.ts';
import type { RatedSentence } from './sentence-scores.ts';

const defaultRedundancy = 0.2;
/** The best ones that are looked at for each that is chosen. */
const candidatesEach = 20;

/**
 * The best `count` sentences that do not repeat each other: maximal marginal relevance (Carbonell and Goldstein 1998).
 * @param redundancy how much likeness to what is chosen already costs, in units of the score.
 * @returns in the order of choice.
 */
export function selectDiverse(
  rated: readonly RatedSentence[],
  count: number,
  redundancy = defaultRedundancy,
): RatedSentence[] {
  const left = [...rated]
    .sort((a, b) => b.score - a.score)
    .slice(0, count * candidatesEach)
    .map((sentence) => ({ sentence, score: sentence.score, likeness: 0 }));
  const chosen: RatedSentence[] = [];
  while (chosen.length < count && left.length > 0) {
    let best = 0;
    const marginal = (at: number) => (left[at]?.score ?? 0) - redundancy * (left[at]?.likeness ?? 0);
    for (let at = 1; at < left.length; at++) if (marginal(at) > marginal(best)) best = at;
    const [taken] = left.splice(best, 1);
    if (taken === undefined) break;
    chosen.push(taken.sentence);
    for (const entry of left) {
      entry.likeness = Math.max(entry.likeness, cosine(entry.sentence.vector, taken.sentence.vector));
    }
  }
  return chosen;
}
