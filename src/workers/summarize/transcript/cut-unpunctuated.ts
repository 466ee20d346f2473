import { wordsOfLanguage } from '../extractive/language-words.ts';
import { foldWord } from '../extractive/words.ts';
import { isUnspaced } from '../join-sentences.ts';
import type { Timeline } from './timeline.ts';

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

interface Place {
  /** Of the first character of a word. */
  offset: number;
  /** What speaks for a new sentence here. */
  score: number;
}

function placesIn(timeline: Timeline, from: number, to: number, language: string | null): Place[] {
  const clauses = clauseWords[language ?? ''] ?? wordsOfLanguage(language).backReferences;
  const unit = isUnspaced(language) ? /\S/gu : /\S+/gu;
  return Array.from(timeline.text.slice(from, to).matchAll(unit), ({ 0: word, index }) => {
    const offset = from + index;
    const pause = timeline.pauses.get(offset);
    const ofPause = pause === undefined ? 0 : 0.5 + (pause >= pauseSeconds ? 3 : Math.max(0, pause));
    return { offset, score: ofPause + (clauses.has(foldWord(word)) ? 2 : 0) };
  });
}

/**
 * Cuts what is too long for a sentence: at pauses and before words that begin a clause, else where a caption begins.
 * @returns pairs of the first character and the one behind the last.
 */
export function cutUnpunctuated(
  timeline: Timeline,
  from: number,
  to: number,
  language: string | null,
): [number, number][] {
  const places = placesIn(timeline, from, to, language);
  const { shortest, usual, longest } = sizes[isUnspaced(language) ? 'characters' : 'words'];
  const ranges: [number, number][] = [];
  let open = 0;
  // What is left of a run that had to be cut has no end of its own either.
  while (places.length - open > (ranges.length === 0 ? longest : 2 * usual)) {
    const valueOf = (at: number): number => (places[at]?.score ?? 0) - Math.abs(at - open - usual) / usual;
    let best = open + shortest;
    for (let at = best; at <= Math.min(open + longest, places.length) - shortest; at++)
      if (valueOf(at) > valueOf(best)) best = at;
    ranges.push([places[open]?.offset ?? from, places[best]?.offset ?? to]);
    open = best;
  }
  return [...ranges, [places[open]?.offset ?? from, to]];
}
