import { decodeHTML } from 'entities';
import type { CaptionSegment } from '../../../shared/schemas/video.ts';

const round = (seconds: number): number => Math.round(seconds * 1_000) / 1_000;

/** A cue's text without its markup (`<c>`, `<v Bob>`, `<00:00:01.500>`, `{\an8}`); `2 < 3 > 1` is none. */
export function plainText(text: string): string {
  const bare = text
    .replaceAll(/<(?:\/?[a-z]|\d+:)[^<>]{0,500}>|<\/>/gi, '')
    .replaceAll(/\{\\[^{}]{0,100}\}/g, '');
  return decodeHTML(bare);
}

const linesOf = (text: string): string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.replaceAll(/[\s\u200b]+/g, ' ').trim())
    .filter((line) => line !== '');

/** From these shares of the cues on, captions are taken for ones that roll; people's repeat and overlap now and then. */
const repeatingShare = 0.3;
const overlappingShare = 0.5;

interface Cue extends CaptionSegment {
  lines: string[];
  endSeconds: number;
  /** Lines at its beginning that end the cue before, where it touches that. */
  repeats: number;
  overlaps: boolean;
}

function readCues(segments: readonly CaptionSegment[]): Cue[] {
  const cues: Cue[] = [];
  const sane = segments.filter(
    ({ startSeconds, durationSeconds }) => Number.isFinite(startSeconds) && Number.isFinite(durationSeconds),
  );
  for (const told of sane.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const segment = { ...told, startSeconds: Math.max(0, told.startSeconds) };
    const lines = linesOf(segment.text);
    if (lines.length === 0) continue;
    const before = cues.at(-1);
    const touches = before !== undefined && segment.startSeconds <= before.endSeconds + 0.05;
    if (before !== undefined) before.overlaps = before.endSeconds > segment.startSeconds + 0.001;
    const endSeconds = segment.startSeconds + segment.durationSeconds;
    const repeats = touches ? countRepeated(before.lines, lines) : 0;
    cues.push({ ...segment, lines, endSeconds, repeats, overlaps: false });
  }
  return cues;
}

/**
 * Speech recognition's captions roll: a cue repeats the line before it and adds one, or goes on while the next one
 * is shown. Of such captions, what a cue repeats is left out, one that then says nothing lends its time to the one
 * before, and one that overlaps the next ends where that begins. Others stay as they are: who says a thing twice
 * has said it twice.
 */
export function withoutRepeats(segments: readonly CaptionSegment[]): CaptionSegment[] {
  const cues = readCues(segments);
  const shareOf = (test: (cue: Cue) => boolean): number =>
    cues.filter(test).length / Math.max(1, cues.length);
  const isRolling =
    shareOf(({ repeats }) => repeats > 0) >= repeatingShare ||
    shareOf(({ overlaps }) => overlaps) >= overlappingShare;
  const kept: CaptionSegment[] = [];
  for (const { startSeconds, durationSeconds, endSeconds, lines, repeats } of cues) {
    const fresh = isRolling ? lines.slice(repeats) : lines;
    const last = kept.at(-1);
    if (last !== undefined && isRolling) {
      const lastEnd = last.startSeconds + last.durationSeconds;
      const end = fresh.length === 0 ? Math.max(lastEnd, endSeconds) : Math.min(lastEnd, startSeconds);
      last.durationSeconds = round(end - last.startSeconds);
    }
    if (fresh.length > 0)
      kept.push({
        startSeconds: round(startSeconds),
        durationSeconds: round(durationSeconds),
        text: fresh.join('\n'),
      });
  }
  return kept;
}

/** How many lines at the beginning of `lines` are the last ones of `before`. */
function countRepeated(before: readonly string[], lines: readonly string[]): number {
  for (let count = Math.min(before.length, lines.length); count > 0; count--) {
    const isSame = lines
      .slice(0, count)
      .every((line, index) => line === before[before.length - count + index]);
    if (isSame) return count;
  }
  return 0;
}
