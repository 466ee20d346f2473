/** Accents of Latin, Greek and Cyrillic letters, vowels of Arabic ones; in other scripts marks make another letter. */
const accents = /[\u0300-\u036f\u064b-\u065f\u0670]/g;

/** A word as others are compared with it: no case, no accents. */
export function foldWord(word: string): string {
  return word.normalize('NFKD').replace(accents, '').normalize('NFC').toLowerCase().replace(/’/g, "'");
}
