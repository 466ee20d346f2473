import { foldWord } from './fold-word.ts';
import { wordsOfLanguage } from './language-words.ts';

/** Endings differ more than beginnings in the languages that inflect. */
const stemLength = 7;
const inflects = /^[\p{Script=Latin}\p{Script=Cyrillic}']+$/u;
const arabicAffixes = /^(?:و|ف|ب|ل|ك)?(?:ال|لل)(?=.{3})/;

function stem(word: string): string {
  if (inflects.test(word))
    return word
      .replace(/'s?$/, '')
      .slice(0, stemLength)
      .replace(/(?<=.{3})s$/, '');
  return word.replace(arabicAffixes, '');
}

export interface Token {
  /** As it stands in the text. */
  surface: string;
  folded: string;
  /** Its stem, where it carries a topic. */
  topic: string | null;
  /** Only a space or a hyphen, or nothing, stands between it and the token before. */
  isJoined: boolean;
}

export interface Words {
  /** All of them, folded, in order. */
  all: string[];
  /** Stems of those that carry a topic, in order. */
  topical: string[];
  tokens: Token[];
}

const segmenters = new Map<string, Intl.Segmenter>();

function segmenterOf(language: string | null): Intl.Segmenter {
  const locale = language ?? 'en';
  let segmenter = segmenters.get(locale);
  if (segmenter === undefined) {
    segmenter = new Intl.Segmenter(locale, { granularity: 'word' });
    segmenters.set(locale, segmenter);
  }
  return segmenter;
}

/** The words of a text by Unicode's rules, or a dictionary where the script has no spaces. */
export function readWords(text: string, language: string | null): Words {
  const { stopWords } = wordsOfLanguage(language);
  const tokens: Token[] = [];
  let isJoined = false;
  for (const { segment, isWordLike } of segmenterOf(language).segment(text)) {
    if (isWordLike !== true) {
      isJoined &&= segment === ' ' || segment === '-';
      continue;
    }
    const folded = foldWord(segment);
    const isStopWord = stopWords.has(folded) || stopWords.has(segment);
    const isTooShort = folded.length < 2 && !/\p{Script=Han}|\d/u.test(folded);
    tokens.push({
      surface: segment,
      folded,
      topic: isStopWord || isTooShort ? null : stem(folded),
      isJoined,
    });
    isJoined = true;
  }
  return {
    all: tokens.map(({ folded }) => folded),
    topical: tokens.flatMap(({ topic }) => topic ?? []),
    tokens,
  };
}

/** How many words a reader counts. */
export function countWords(text: string, language: string | null): number {
  let count = 0;
  for (const { isWordLike } of segmenterOf(language).segment(text)) if (isWordLike === true) count++;
  return count;
}
