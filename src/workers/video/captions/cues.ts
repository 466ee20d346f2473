import type { CaptionSegment } from '../../../shared/schemas/video.ts';

const clock = String.raw`(?:(\d{1,6}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?`;
/** What stands behind the times (settings, places on the picture) is left out. */
const timing = new RegExp(String.raw`^\s*${clock}\s*-->\s*${clock}`);

const secondsOf = ([hours = '0', minutes, seconds, fraction = '0']: (string | undefined)[]): number =>
  Number(hours) * 3_600 + Number(minutes) * 60 + Number(`${seconds}.${fraction}`);

export interface TimedText {
  /** What stands before the first times. */
  head: string;
  /** Whose times run backwards, one's duration is negative. */
  cues: CaptionSegment[];
}

const isBlank = (line: string | undefined): boolean => line?.trim() === '';
const isNumber = (line: string | undefined): boolean => /^\s*\d{1,9}\s*$/.test(line ?? '');

/**
 * The cues of WebVTT or SubRip: lines with times, and what stands behind each. Where the first one has a number before
 * it, the others' are left out too.
 * @param text without its mark of byte order.
 * @param endsAtBlank a blank line ends a cue's text, as in WebVTT; else the next times do, as SubRip's blank lines are
 * not to be relied on.
 */
export function readCues(text: string, { endsAtBlank }: { endsAtBlank: boolean }): TimedText {
  const cues: CaptionSegment[] = [];
  let head: string[] = [];
  let isNumbered = false;
  let running: { startSeconds: number; endSeconds: number } | null = null;
  let lines: string[] = [];
  const finish = (): void => {
    if (running === null) {
      head = lines;
      isNumbered = isNumber(head.findLast((line) => !isBlank(line)));
      return;
    }
    const { startSeconds, endSeconds } = running;
    const words = endsAtBlank && lines.includes('') ? lines.slice(0, lines.indexOf('')) : lines;
    cues.push({ startSeconds, durationSeconds: endSeconds - startSeconds, text: words.join('\n') });
  };
  for (const line of text.split(/\r\n?|\n/)) {
    const times = timing.exec(line);
    if (times === null) {
      lines.push(line);
      continue;
    }
    if (isNumbered) {
      const last = lines.findLastIndex((one) => !isBlank(one));
      if (isNumber(lines[last])) lines.length = last;
    }
    finish();
    running = { startSeconds: secondsOf(times.slice(1, 5)), endSeconds: secondsOf(times.slice(5)) };
    lines = [];
  }
  finish();
  return { head: head.join('\n'), cues };
}
