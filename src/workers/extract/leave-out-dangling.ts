import type { Block, PageBlocks } from './blocks.ts';
import { sizeOf } from './text-size.ts';

const heading = /^h[2-6]$/;
/** Headings at the end that may announce what is left out: one of a part, and one in it. */
const mostHeadings = 2;
/** More of it in a link, and it is the entry of a list itself. */
const mostLinked = 0.4;

/**
 * Leaves out headings at the end of the content that announce what is none of it: comments, other pages. One below which
 * nothing stands ends the text, and one among others without text is an entry of a list.
 */
export function leaveOutDangling({ blocks }: PageBlocks, picked: Uint8Array): void {
  const run: Block[] = [];
  let at = picked.lastIndexOf(1);
  for (; at >= 0 && run.length <= mostHeadings; at--) {
    const block = blocks[at] as Block;
    if (picked[at] !== 1 || block.text === '') continue;
    if (!heading.test(block.scope.tag)) break;
    run.push(block);
  }
  if (at < 0 || run.length === 0 || run.length > mostHeadings) return;
  if (run.every((one) => announces(one, blocks))) for (const { index } of run) picked[index] = 0;
}

/** Whether what it announces stands right behind it, in the same element. */
function announces({ index, scope, text, linkChars }: Block, blocks: readonly Block[]): boolean {
  const next = blocks[index + 1];
  const end = scope.parent?.end ?? 0;
  return next !== undefined && next.index < end && next.text !== '' && linkChars <= mostLinked * sizeOf(text);
}
