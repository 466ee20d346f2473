import type { CaptionSegment } from '../../../shared/schemas/video.ts';
import { isUnspaced } from '../join-sentences.ts';

/** Captions joined to one text, in which each character has its time. */
export interface Timeline {
  text: string;
  cues: readonly CaptionSegment[];
  /** Where each caption begins in the text. */
  starts: readonly number[];
  /** Seconds of silence before the caption that begins at a character. */
  pauses: ReadonlyMap<number, number>;
}

/** Seconds behind each caption: until the next one, or for which it stands longer than its words take. */
function silencesOf(cues: readonly CaptionSegment[]): number[] {
  const rates = cues.flatMap(({ text, durationSeconds }) =>
    durationSeconds > 0 ? text.length / durationSeconds : [],
  );
  const usualRate = rates.sort((a, b) => a - b)[Math.floor(rates.length / 2)] ?? Infinity;
  return cues.map(({ text, startSeconds, durationSeconds }, index) => {
    const next = cues[index + 1];
    const gap = next === undefined ? 0 : next.startSeconds - (startSeconds + durationSeconds);
    return Math.max(gap, durationSeconds - text.length / usualRate);
  });
}

export function joinCues(cues: readonly CaptionSegment[], language: string | null): Timeline {
  const space = isUnspaced(language) ? '' : ' ';
  const starts: number[] = [];
  let length = 0;
  for (const { text } of cues) {
    starts.push(length);
    length += text.length + space.length;
  }
  const silences = silencesOf(cues);
  const pauses = new Map(starts.map((start, index) => [start, silences[index - 1] ?? 0]));
  return { text: cues.map(({ text }) => text).join(space), cues, starts, pauses };
}

/** The last caption that begins at or before a character. */
function cueAt({ starts }: Timeline, offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** When a character is said: captions tell of whole lines, within which speech is taken for even. */
export function timeAt(timeline: Timeline, offset: number): number {
  const index = cueAt(timeline, offset);
  const cue = timeline.cues[index];
  if (cue === undefined) return 0;
  const share = Math.min(1, (offset - (timeline.starts[index] ?? 0)) / Math.max(1, cue.text.length));
  return Math.round((cue.startSeconds + share * cue.durationSeconds) * 100) / 100;
}
