import { wordsOfLanguage } from '../extractive/language-words.ts';
import { foldWord } from '../extractive/fold-word.ts';
import { isUnspaced } from '../join-sentences.ts';
import { timeAt, type Timeline } from './timeline.ts';

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Words that begin a clause of speech; of other languages, those that point back to one. */
const clauseWords: Readonly<Record<string, ReadonlySet<string>>> = {
  en: set('and but so because now then well okay ok yes no yeah'),
  de: set('und aber also denn dann jetzt nun ja nein doch weil'),
  fr: set('et mais donc alors car puis ensuite voila oui non parce'),
  es: set('y pero entonces porque luego ahora bueno pues si'),
  ru: set('и но а поэтому потом теперь итак потому'),
};

/** Of a sentence: in words, or in characters where nothing stands between words. */
const sizes = {
  words: { shortest: 6, usual: 15, longest: 45 },
  characters: { shortest: 10, usual: 30, longest: 90 },
};
/** From here on nobody was in the middle of a sentence. */
const pauseSeconds = 0.8;

/** Marks are set by hand: what they mark begins so many seconds before or behind them. */
const markedWithin = { before: 2, behind: 2 };
/** What a second of distance to the mark speaks against a place. */
const scorePerSecond = 0.5;
const ended = /[.!?。！？…؟।]["'»”’)\]」』]*$/u;

interface Place {
  /** Of the first character of a word. */
  offset: number;
  /** What speaks for a new sentence here. */
  score: number;
}

function placesIn(timeline: Timeline, { from, to, language }: Run): Place[] {
  const clauses = clauseWords[language ?? ''] ?? wordsOfLanguage(language).backReferences;
  const unit = isUnspaced(language) ? /\S/gu : /\S+/gu;
  return Array.from(timeline.text.slice(from, to).matchAll(unit), ({ 0: word, index }) => {
    const offset = from + index;
    const pause = timeline.pauses.get(offset);
    const ofPause = pause === undefined ? 0 : 0.5 + (pause >= pauseSeconds ? 3 : Math.max(0, pause));
    return { offset, score: ofPause + (clauses.has(foldWord(word)) ? 2 : 0) };
  });
}

/** Of words, none before the one in front of it. */
function timesOf(timeline: Timeline, places: readonly Place[]): number[] {
  let latest = 0;
  return places.map(({ offset }) => (latest = Math.max(latest, timeAt(timeline, offset))));
}

/**
 * The likeliest beginning of a sentence around each of the moments, which are in order; none where one begins or ends
 * there anyway.
 */
function findMarked(timeline: Timeline, places: readonly Place[], marks: readonly number[]): number[] {
  if (marks.length === 0) return [];
  const times = timesOf(timeline, places);
  const found: number[] = [];
  let from = 0;
  for (const mark of marks) {
    if (mark > (times.at(-1) ?? 0)) break;
    while ((times[from] ?? Infinity) < mark - markedWithin.before) from += 1;
    let best = from;
    while ((times[best] ?? Infinity) < mark) best += 1;
    const valueOf = (at: number): number =>
      (places[at]?.score ?? 0) - Math.abs((times[at] ?? 0) - mark) * scorePerSecond;
    for (let at = from; (times[at] ?? Infinity) <= mark + markedWithin.behind; at++)
      if (valueOf(at) > valueOf(best)) best = at;
    if (from > 0 && best > (found.at(-1) ?? 0)) found.push(best);
  }
  return found;
}

/** Pairs of the first place and the one behind the last, each about as long as a sentence is. */
function cutLong(places: readonly Place[], first: number, end: number, size: Size): [number, number][] {
  const ranges: [number, number][] = [];
  let open = first;
  while (end - open > 2 * size.usual) {
    const valueOf = (at: number): number =>
      (places[at]?.score ?? 0) - Math.abs(at - open - size.usual) / size.usual;
    let best = open + size.shortest;
    for (let at = best; at <= Math.min(open + size.longest, end) - size.shortest; at++)
      if (valueOf(at) > valueOf(best)) best = at;
    ranges.push([open, best]);
    open = best;
  }
  return [...ranges, [open, end]];
}

type Size = (typeof sizes)[keyof typeof sizes];

export interface Run {
  /** Characters of the timeline. */
  from: number;
  to: number;
  /** ISO 639-1; null where it is not known. */
  language: string | null;
  /** Seconds at which something new begins, in order. */
  marks: readonly number[];
}

/**
 * Cuts what is too long for a sentence: where something new begins, at pauses and before words that begin a clause,
 * else where a caption begins. What has no end of its own is cut where something new begins, however short it is.
 * @returns pairs of the first character and the one behind the last.
 */
export function cutUnpunctuated(timeline: Timeline, run: Run): [number, number][] {
  const { from, to, language, marks } = run;
  const places = placesIn(timeline, run);
  const size = sizes[isUnspaced(language) ? 'characters' : 'words'];
  const isLong = places.length > size.longest;
  if (!isLong && ended.test(timeline.text.slice(from, to).trimEnd())) return [[from, to]];
  const firsts = [0, ...findMarked(timeline, places, marks)];
  const ranges = firsts.flatMap((first, at) => {
    const end = firsts[at + 1] ?? places.length;
    return isLong ? cutLong(places, first, end, size) : [[first, end] as const];
  });
  return ranges.map(([first, end]) => [places[first]?.offset ?? from, places[end]?.offset ?? to]);
}
