import type { Readability } from './page-facts.ts';

interface Formula {
  name: string;
  /** @param perSentence words in a sentence; @param perWord syllables in a word. */
  ease(perSentence: number, perWord: number): number;
  vowels: RegExp;
}

const latin = /[aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœ]+/gi;

/**
 * Flesch's Reading Ease and its fittings to other languages: Flesch 1948 (en), Amstad 1978 (de), Fernández Huerta 1959
 * (es), Kandel and Moles 1958 (fr), Franchina and Vacca 1986 (it), Douma 1960 (nl), Oborneva 2006 (ru).
 */
const formulas: Readonly<Record<string, Formula>> = {
  en: {
    name: 'Flesch',
    ease: (words, syllables) => 206.835 - 1.015 * words - 84.6 * syllables,
    vowels: latin,
  },
  de: { name: 'Amstad', ease: (words, syllables) => 180 - words - 58.5 * syllables, vowels: latin },
  es: {
    name: 'Fernández Huerta',
    ease: (words, syllables) => 206.84 - 1.02 * words - 60 * syllables,
    vowels: latin,
  },
  fr: {
    name: 'Kandel and Moles',
    ease: (words, syllables) => 207 - 1.015 * words - 73.6 * syllables,
    vowels: latin,
  },
  it: {
    name: 'Franchina and Vacca',
    ease: (words, syllables) => 217 - 1.3 * words - 60 * syllables,
    vowels: latin,
  },
  nl: { name: 'Douma', ease: (words, syllables) => 206.84 - 0.93 * words - 77 * syllables, vowels: latin },
  ru: {
    name: 'Oborneva',
    ease: (words, syllables) => 206.835 - 1.3 * words - 60.1 * syllables,
    vowels: /[аеёиоуыэюя]/gi,
  },
};

/** From the first mark of a run only: from each of many it would take a square of their number. */
const sentenceEnd = /(?<![.!?…])[.!?…]+(?=\s|$)/g;
const fewestWords = 100;
const fewestSentences = 5;

/**
 * How easily a text is read. Menus and tables are no sentences: only lines that end as a sentence does are counted.
 * @returns null for a language without a formula, and for texts too short to tell.
 */
export function measureReadability(text: string, language: string): Readability | null {
  const formula = formulas[language];
  if (formula === undefined) return null;
  const prose = text.split('\n').filter((line) => /[.!?…]["'”’»)]?\s*$/.test(line.slice(-10)));
  const sentences = prose.reduce((sum, line) => sum + (line.match(sentenceEnd)?.length ?? 0), 0);
  const words = prose.flatMap((line) => line.match(/\p{L}+/gu) ?? []);
  if (words.length < fewestWords || sentences < fewestSentences) return null;
  const syllables = words.reduce((sum, word) => sum + syllablesIn(word, language, formula.vowels), 0);
  const ease = formula.ease(words.length / sentences, syllables / words.length);
  return { formula: formula.name, ease: Math.round(Math.min(100, Math.max(0, ease))) };
}

function syllablesIn(word: string, language: string, vowels: RegExp): number {
  // A final e is mute in English and French.
  const spoken = language === 'en' || language === 'fr' ? word.replace(/(?<=[^aeiouy])es?$/i, '') : word;
  return Math.max(1, spoken.match(vowels)?.length ?? 0);
}
