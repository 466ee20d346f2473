import { cosine } from './sentence-graph.ts';
import type { RatedSentence } from './sentence-scores.ts';

/** How much likeness to what is chosen already costs, in units of the score. */
const redundancy = 0.2;
/** The best ones that are looked at for each that is chosen. */
const candidatesEach = 20;

/** Likeness from which two sentences say the same. */
const sameFrom = 0.9;

/**
 * The best `count` sentences that do not repeat each other: maximal marginal relevance (Carbonell and Goldstein 1998).
 * @param beside what is chosen already.
 * @returns in the order of choice.
 */
export function selectDiverse(
  rated: readonly RatedSentence[],
  count: number,
  beside: readonly RatedSentence[] = [],
): RatedSentence[] {
  const likenessTo = (chosen: readonly RatedSentence[], { vector }: RatedSentence) =>
    chosen.reduce((most, other) => Math.max(most, cosine(vector, other.vector)), 0);
  let left = [...rated]
    .sort((a, b) => b.score - a.score)
    .slice(0, (count + beside.length) * candidatesEach)
    .map((sentence) => ({ sentence, likeness: likenessTo(beside, sentence) }));
  const chosen: RatedSentence[] = [];
  const marginal = ({ sentence, likeness }: (typeof left)[number]) => sentence.score - redundancy * likeness;
  for (;;) {
    left = left.filter(({ likeness }) => likeness < sameFrom);
    const [first] = left;
    if (first === undefined || chosen.length >= count) return chosen;
    const { sentence: taken } = left.reduce((best, it) => (marginal(it) > marginal(best) ? it : best), first);
    chosen.push(taken);
    for (const it of left) it.likeness = Math.max(it.likeness, cosine(it.sentence.vector, taken.vector));
  }
}
