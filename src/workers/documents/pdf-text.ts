const unspaced = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\uff01-\\uff60]';
const [endsUnspaced, beginsUnspaced] = [new RegExp(`${unspaced}$`, 'u'), new RegExp(`^${unspaced}`, 'u')];

/** Whether no space stands between two lines of one text: Chinese and Japanese have none. */
export const joinsBare = (before: string, after: string): boolean =>
  endsUnspaced.test(before) && beginsUnspaced.test(after);

/** Whether a line ends within a word or a span (`1900-`, `1910`), which stands together whatever it is broken at. */
export const isBrokenAt = (before: string, after: string): boolean =>
  /\p{L}[-\u2010\u00ad]$|\p{N}[-\u2010\u2013]$/u.test(before) && /^[\p{L}\p{N}]/u.test(after);

/** Lines as one text: words that a hyphen breaks at the end of a line are put together. */
export function joinLines(texts: readonly string[]): string {
  const parts: string[] = [];
  for (const text of texts) {
    const before = parts.at(-1) ?? '';
    const isHyphenated = /\p{L}[-\u2010\u00ad]$/u.test(before) && /^\p{Ll}/u.test(text);
    if (isHyphenated) parts[parts.length - 1] = before.slice(0, -1);
    const isBare = before === '' || isHyphenated || isBrokenAt(before, text) || joinsBare(before, text);
    parts.push(isBare ? text : ` ${text}`);
  }
  return parts.join('').replaceAll('\u00ad', '').trim();
}

/** Latin letters with their two bytes exchanged, as Ghostscript 10 names what a ligature stands for: 昀椀 for fi. */
const exchanged = /(?<!\p{Script=Han})[\u6100\u6600-\u6c00\u7300-\u7400]{2,3}(?!\p{Script=Han})/gu;

/** The letters of ligatures whose names are known to be wrong. */
export const mendLigatures = (text: string): string =>
  text.replace(exchanged, (run) =>
    [...run].every((letter) => letter.charCodeAt(0) % 256 === 0)
      ? String.fromCharCode(...[...run].map((letter) => letter.charCodeAt(0) / 256))
      : run,
  );
