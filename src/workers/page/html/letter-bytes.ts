/** Bytes beyond ASCII below which nothing is told. */
const leastBytes = 20;
const high = /[\x80-\xff]/g;

/** Bytes without a character, or with one that texts hardly have. */
const notThai = /[\x80-\x84\x86-\x90\x98-\x9f\xdb-\xde\xfc-\xff]/g;
/** A mark that stands on no consonant, or a vowel before none. */
const tornThai = /(?<![\xa1-\xce\xd0-\xda\xe5\xe7-\xee])[\xd1\xd4-\xda\xe7-\xee]|[\xe0-\xe4](?![\xa1-\xce])/g;
/** A tone over a vowel: two bytes of one column that other encodings do not have side by side. */
const toneOverVowel = /[\xa1-\xce][\xd1\xd4-\xd9][\xe7-\xec]/g;

const smallOf866 = { first: /[\xa0-\xaf]/g, second: /[\xe0-\xef]/g };
const of866 = /[\x80-\xaf\xe0-\xf1]/g;
const wordsOf866 = /[\x80-\xaf\xe0-\xf1]+/g;

const ukrainian = /[\xc0-\xff][\xa4\xa6\xa7\xad]|[\xa4\xa6\xa7\xad][\xc0-\xff]/;

const countOf = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/**
 * An encoding whose letters give it away, of those that statistics of letters do not know.
 * @param text bytes as Latin-1.
 */
export function charsetByLetters(text: string): 'windows-874' | 'ibm866' | null {
  const all = countOf(text, high);
  if (all < leastBytes) return null;
  if (isThai(text, all)) return 'windows-874';
  return is866(text, all) ? 'ibm866' : null;
}

function isThai(text: string, all: number): boolean {
  if (countOf(text, toneOverVowel) < all * 0.01) return false;
  return countOf(text, notThai) <= all * 0.005 && countOf(text, tornThai) <= all * 0.02;
}

/** Words of Cyrillic, mostly small letters, of both places where these stand. */
function is866(text: string, all: number): boolean {
  const letters = countOf(text, of866);
  const first = countOf(text, smallOf866.first);
  const second = countOf(text, smallOf866.second);
  if (letters < all * 0.95 || Math.min(first, second) < all * 0.2 || first + second < all * 0.6) return false;
  return letters >= 3 * countOf(text, wordsOf866);
}

/** KOI8-U has its letters where KOI8-R has lines of boxes. */
export const hasUkrainianKoi8 = (text: string): boolean => ukrainian.test(text);
