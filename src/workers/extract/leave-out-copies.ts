import type { Block, Scope } from './blocks.ts';
import { withoutDigits } from './class-kind.ts';

/** Characters; what has no line of so many may well be meant twice. */
const copyLength = 30;
const cells = new Set(['td', 'th']);
const headings = /^(?:h[1-6]|dt)$/;

/**
 * Leaves out what a page shows in two layouts, for wide and for narrow screens, or as a slide that goes round: several
 * lines in a row that stand so before, in an element of another kind. A single line that is said again is so meant, as is
 * what is said by another of its kind (the days of a plan, the posts of a thread), or under a heading of its own.
 */
export function leaveOutCopies(blocks: readonly Block[], picked: Uint8Array): void {
  const taken = [...blocks.keys()].filter((at) => picked[at] === 1);
  const blockOf = (n: number): Block | undefined => blocks[taken[n] ?? -1];
  const first = new Map<string, number>();
  let done = 0;
  for (let n = 0; n < taken.length; n++) {
    const { text } = blockOf(n) as Block;
    if (text.length < copyLength || !isLine(blockOf(n))) continue;
    const other = first.get(text);
    if (other === undefined) {
      first.set(text, n);
      continue;
    }
    const isSame = (by: number): boolean =>
      isLine(blockOf(n + by)) && blockOf(n + by)?.text === blockOf(other + by)?.text;
    let [from, to] = [0, 1];
    while (n + from > done && isSame(from - 1)) from--;
    while (other + to < n + from && isSame(to)) to++;
    const own = blockOf(n + from) as Block;
    if (to - from > 1 && !isMeant(blocks, own, blockOf(other + from) as Block))
      for (const at of taken.slice(n + from, n + to)) picked[at] = 0;
    n += to - 1;
    done = n + 1;
  }
}

const isLine = (block: Block | undefined): boolean =>
  block !== undefined && !block.preformatted && !cells.has(block.scope.tag);

function isMeant(blocks: readonly Block[], own: Block, other: Block): boolean {
  const before = blocks[own.index - 1];
  const isHeading = before !== undefined && headings.test(before.scope.tag);
  if (isHeading && before.text !== blocks[other.index - 1]?.text) return true;
  let [one, two]: [Scope | null, Scope | null] = [own.scope, other.scope];
  while (one !== null && two !== null && one.parent !== two.parent) {
    if (one.depth >= two.depth) one = one.parent;
    else two = two.parent;
  }
  // One in the other: a line beside what repeats it.
  if (one === null || two === null || one === two) return true;
  return one.tag === two.tag && withoutDigits(one.kind) === withoutDigits(two.kind);
}
