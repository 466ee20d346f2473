import { isRightToLeft } from './pdf-runs.ts';
import type { Segment } from './pdf-segments.ts';

/** What stands on one height of a column. */
export interface Line {
  segments: Segment[];
  x: number;
  right: number;
  y: number;
  /** Of its longest segment. */
  size: number;
}

/** Lines of one column, from above. */
export function toLines(segments: readonly Segment[]): Line[] {
  const lines: Line[] = [];
  let longest = 0;
  for (const segment of segments) {
    const line = lines.at(-1);
    if (line !== undefined && Math.abs(line.y - segment.y) <= 0.4 * Math.max(line.size, segment.size)) {
      line.segments.push(segment);
      line.x = Math.min(line.x, segment.x);
      line.right = Math.max(line.right, segment.right);
      longest = Math.max(longest, segment.text.length);
      if (segment.text.length === longest) line.size = segment.size;
    } else {
      const { x, right, y, size } = segment;
      lines.push({ segments: [segment], x, right, y, size });
      longest = segment.text.length;
    }
  }
  for (const { segments: own } of lines) own.sort((a, b) => a.x - b.x);
  return lines;
}

export function lineText({ segments }: Line): string {
  const texts = segments.map(({ text }) => text);
  return (isRightToLeft(texts.join('')) ? texts.toReversed() : texts).join(' ');
}
