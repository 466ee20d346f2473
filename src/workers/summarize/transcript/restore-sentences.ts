import type { CaptionSegment } from '../../../shared/schemas/video.ts';
import type { TextBlock } from '../document.ts';
import { splitText } from '../extractive/sentences.ts';
import { isUnspaced } from '../join-sentences.ts';
import { cutUnpunctuated } from './cut-unpunctuated.ts';
import { joinCues, timeAt } from './timeline.ts';

export interface RestoreTask {
  segments: readonly CaptionSegment[];
  /** Seconds at which chapters begin, in order: a sentence without punctuation does not go on across one. */
  chapterStarts: readonly number[];
  /** ISO 639-1; null where it is not known. */
  language: string | null;
}

export interface SpokenText {
  /** Its sentences, each a block with the moment at which it begins. */
  sentences: TextBlock[];
  /** The captions, less the marks of what is not said; quotes are looked up in them. */
  cues: TextBlock[];
}

/** Notes of sounds: `[Music]`, notes of music, a line in parentheses. */
const soundMarks = /\[[^[\]]{0,60}\]|[♩♪♫♬]|^\s*\([^()]{0,60}\)\s*$/gu;
/** Another one speaks: `>>`, a dash at the beginning of a line. */
const speakerMarks = /(?:^|\n)[^\S\n]*[-–—](?=\s)|>{2,}/gu;

function toCues(segments: readonly CaptionSegment[]): CaptionSegment[] {
  return segments.flatMap(({ text, ...time }) => {
    const said = text.replace(soundMarks, ' ').replace(speakerMarks, ' ').replace(/\s+/gu, ' ').trim();
    return said === '' ? [] : { ...time, text: said };
  });
}

const firstLetter = /^([^\p{L}\p{N}]*)(\p{Ll})/u;
const ended = /[.!?。！？…؟।:：]["'»”’)\]」』]*$/u;
const loose = /(?<![,;،、，\s])[,;،、，\s]+$/u;

/** As a sentence is written: a capital at its beginning, a full stop at its end. */
function write(text: string, language: string | null): string {
  const begun = text.replace(
    firstLetter,
    (_, before: string, letter: string) => before + letter.toUpperCase(),
  );
  return ended.test(begun) ? begun : `${begun.replace(loose, '')}${isUnspaced(language) ? '。' : '.'}`;
}

/**
 * The sentences of captions, which are cut where a line is full. Where their punctuation tells, it is followed; what
 * speech recognition has left without is cut where chapters begin, at pauses and before words that begin a clause. A task of the pool:
 * pure, linear in the captions.
 */
export default function restoreSentences({
  segments,
  chapterStarts: marks,
  language,
}: RestoreTask): SpokenText {
  const cues = toCues(segments);
  const timeline = joinCues(cues, language);
  const sentences: TextBlock[] = [];
  let from = 0;
  for (const sentence of splitText(timeline.text, language)) {
    const at = timeline.text.indexOf(sentence, from);
    if (at < 0) continue;
    from = at + sentence.length;
    for (const [start, end] of cutUnpunctuated(timeline, { from: at, to: from, language, marks })) {
      const text = write(timeline.text.slice(start, end).trim(), language);
      sentences.push({ text, startSeconds: timeAt(timeline, start) });
    }
  }
  return { sentences, cues: cues.map(({ text, startSeconds }) => ({ text, startSeconds })) };
}
