/** Where frameworks leave the data that they draw a page from. */
const stateMark =
  /__(INITIAL|PRELOADED|APOLLO|REDUX)_(STATE|DATA)__|__NUXT__|__next_f|__remixContext|__sveltekit_/;
/** A run of words, such as prose has and identifiers have not. Bounded, so that no page makes it slow. */
const prose = /(?<![\p{L}\p{N}])[\p{L}\p{N}]{1,30}(?: [\p{L}\p{N},]{1,30}){7,12}/gu;
const samples = 40;

/** Whether a page brings along text for its scripts to draw, none of which it shows by itself. */
export function hasUnshownData(scriptText: string, shownText: string): boolean {
  const from = scriptText.search(stateMark);
  return from !== -1 && hasProseUnshown(scriptText.slice(from), shownText);
}

/**
 * Whether a text holds prose, none of which its page shows.
 *
 * @param leastShare of the text that has to be prose, 0 to 1.
 */
export function hasProseUnshown(text: string, shownText: string, leastShare = 0): boolean {
  const pieces = [...text.matchAll(prose)].map(([piece]) => piece);
  if (pieces.length === 0 || pieces.join('').length < leastShare * text.length) return false;
  const shown = shownText.replace(/\s+/g, ' ');
  // From all of it: labels and hints stand before the content as often as not.
  const step = Math.ceil(pieces.length / samples);
  const sampled = pieces.filter((_, index) => index % step === 0);
  return !sampled.some((piece) => shown.includes(piece));
}
