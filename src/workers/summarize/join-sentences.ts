/** Languages written without spaces between sentences. */
const unspaced = new Set(['zh', 'ja']);

/** Sentences as running text. */
export function toSentenceText(sentences: readonly { text: string }[], language: string | null): string {
  return sentences.map(({ text }) => text).join(unspaced.has(language ?? '') ? '' : ' ');
}
