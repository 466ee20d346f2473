import type { PageBlocks, Scope } from './blocks.ts';
import { groupIndex } from './class-words.ts';
import { badHeading } from './phrases.ts';
import { sizeOf } from './text-size.ts';

const heading = /^h[2-6]$/;
/** Names of a part that is none of the text, whatever of it is picked. */
const elsewhere = (['related', 'share', 'ad', 'form', 'popup', 'comment'] as const).reduce(
  (bits, name) => bits | (1 << groupIndex[name]),
  0,
);
/** More of its characters in links, and it leads elsewhere. */
const mostLinked = 0.4;

/**
 * Keeps a heading whose own part is picked: what stands next in the innermost element that holds more than the heading.
 * @param around of each block, whether it stands in a menu or the like, and which text is the next from there on; whether
 * a scope is of the page's text by its names and links.
 */
export function keepHeadings(
  { blocks, scopes }: PageBlocks,
  around: { beside: readonly boolean[]; next: Int32Array; fits: (scope: Scope) => boolean },
  picked: Uint8Array,
): void {
  const { beside, next, fits } = around;
  // The heading of a part of the part may be kept for the same reason.
  for (const scope of scopes.toReversed()) {
    const { tag, first, end } = scope;
    if (!heading.test(tag) || picked[first] === 1 || end - first !== 1 || !fits(scope)) continue;
    if (beside[first] === true || badHeading.test(blocks[first]?.text ?? '')) continue;
    const at = next[end] as number;
    const told = blocks[at];
    const holder = holderOf(scope, next);
    if (told === undefined || holder === null || at >= holder.end || picked[at] !== 1) continue;
    if ((holder.names & elsewhere) !== 0) continue;
    const isOfAnother = /^h[1-6]$/.test(told.scope.tag) && told.scope.tag <= tag;
    if (!isOfAnother && told.linkChars <= mostLinked * sizeOf(told.text)) picked[first] = 1;
  }
}

/** The innermost element that holds other text than the heading. */
function holderOf(scope: Scope, next: Int32Array): Scope | null {
  const { first, end } = scope;
  for (let up = scope.parent; up !== null; up = up.parent)
    if ((next[up.first] as number) < first || (next[end] as number) < up.end) return up;
  return null;
}
