import type { Block, Scope } from './blocks.ts';

const levels = 6;

/**
 * Where a block stands: tags and classes of what it stands in, without the numbers of posts. Single digits tell odd posts
 * from even ones further up, and next to the text its columns.
 */
export function shapeOf({ scope }: Block): string {
  const parts: string[] = [];
  for (let up: Scope | null = scope, n = 0; up !== null && n < levels; up = up.parent, n++) {
    parts.push(
      `${up.tag}.${(up.element.attribs['class'] ?? '').slice(0, 100).replace(n < 2 ? /\d{2,}/g : /\d+/g, '')}`,
    );
  }
  return parts.join('<');
}
