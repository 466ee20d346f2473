import { between, measure, type Plain, share, Totals } from './block-measures.ts';
import type { Block, Scope } from './blocks.ts';

/** The element whose paragraphs read most like running text, after Readability's scoring. */
export function findRoot(blocks: readonly Block[], plain: readonly Plain[], totals: Totals): Scope | null {
  const scores = new Map<Scope, number>();
  for (const [i, block] of blocks.entries()) {
    const one = plain[i] as Plain;
    if (one.chars < 25 || one.link > one.chars / 2) continue;
    const points = 1 + one.commas + Math.min(3, one.chars / 100);
    let scope: Scope | null = /^(?:p|pre|td|li|dd|blockquote|h[1-6])$/.test(block.scope.tag)
      ? block.scope.parent
      : block.scope;
    for (let level = 0; level < 4 && scope !== null; level++, scope = scope.parent) {
      scores.set(scope, (scores.get(scope) ?? 0) + points / (level === 0 ? 1 : level * 2));
    }
  }
  let best: Scope | null = null;
  let bestScore = 0;
  for (const [scope, score] of scores) {
    const density = share(
      between(totals.link, scope.first, scope.end),
      between(totals.chars, scope.first, scope.end),
    );
    const weighed = score * (1 - density);
    if (weighed > bestScore) [best, bestScore] = [scope, weighed];
  }
  return best;
}

/** As `findRoot`, for blocks that were not measured. */
export function findRootOf(blocks: readonly Block[]): Scope | null {
  const plain = blocks.map(measure);
  return findRoot(
    blocks,
    plain,
    new Totals(
      plain,
      plain.map(() => 0),
    ),
  );
}
