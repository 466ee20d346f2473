const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Signs that end a word belong to it: `c++`, `c#`. */
const word = /[\p{L}\p{M}\p{N}]+(?:[+#]+(?![\p{L}\p{M}\p{N}]))?/gu;

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Is it in a script that puts no spaces between words? */
export const isSpaceless = (text: string): boolean => spaceless.test(text);

/** In one case and without punctuation: `Red-Shoes!` is `red shoes`. */
export const plainOf = (text: string): string =>
  (text.normalize('NFKC').toLowerCase().match(word) ?? []).join(' ');

/** The words of a text in one case, those of scripts without spaces by a dictionary. */
export const wordsOf = (text: string): string[] =>
  plainOf(text)
    .split(' ')
    .flatMap((run) =>
      isSpaceless(run) ? [...segmenter.segment(run)].map(({ segment }) => segment) : run === '' ? [] : [run],
    );

/** Does the text have the phrase: at the bounds of words, and anywhere where its script has no spaces? */
export function hasPhrase(text: string, phrase: string): boolean {
  const wanted = plainOf(phrase);
  if (wanted === '') return false;
  if (isSpaceless(wanted)) return plainOf(text).replaceAll(' ', '').includes(wanted.replaceAll(' ', ''));
  return ` ${plainOf(text)} `.includes(` ${wanted} `);
}
