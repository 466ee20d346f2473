/** Languages written without spaces between words and sentences. */
const unspaced = new Set(['zh', 'ja']);

export const isUnspaced = (language: string | null): boolean => unspaced.has(language ?? '');

/** Sentences as running text. */
export function toSentenceText(sentences: readonly { text: string }[], language: string | null): string {
  return sentences.map(({ text }) => text).join(isUnspaced(language) ? '' : ' ');
}
