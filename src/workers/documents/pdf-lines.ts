import { isRightToLeft } from './pdf-runs.ts';
import type { Segment } from './pdf-segments.ts';

/** What stands on one height of a column. */
export interface Line {
  segments: Segment[];
  x: number;
  right: number;
  y: number;
  size: number;
}

/** Lines of one column, from above. */
export function toLines(segments: readonly Segment[]): Line[] {
  const lines: Line[] = [];
  for (const segment of segments) {
    const line = lines.at(-1);
    if (line !== undefined && Math.abs(line.y - segment.y) <= 0.4 * Math.max(line.size, segment.size)) {
      line.segments.push(segment);
      line.x = Math.min(line.x, segment.x);
      line.right = Math.max(line.right, segment.right);
      line.size = Math.max(line.size, segment.size);
    } else
      lines.push({
        segments: [segment],
        x: segment.x,
        right: segment.right,
        y: segment.y,
        size: segment.size,
      });
  }
  for (const { segments: own } of lines) own.sort((a, b) => a.x - b.x);
  return lines;
}

export function lineText({ segments }: Line): string {
  const texts = segments.map(({ text }) => text);
  return (isRightToLeft(texts.join('')) ? texts.toReversed() : texts).join(' ');
}
