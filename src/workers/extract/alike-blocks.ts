import type { Block, Scope } from './blocks.ts';
import { withoutDigits } from './class-kind.ts';

const levels = 6;
/** So close to the text, a digit may be that of a column. */
const columnLevels = 2;

/** Where a block stands: tags and kinds of what it stands in. */
export function shapeOf({ scope }: Block): string {
  const parts: string[] = [];
  for (let up: Scope | null = scope, n = 0; up !== null && n < levels; up = up.parent, n++) {
    parts.push(`${up.tag}.${n < columnLevels ? up.kind : withoutDigits(up.kind)}`);
  }
  return parts.join('<');
}
