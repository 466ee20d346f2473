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

/** Whether a text holds prose, none of which its page shows. */
export function hasProseUnshown(text: string, shownText: string): boolean {
  const pieces = [...text.matchAll(prose)].slice(0, samples).map(([piece]) => piece);
  if (pieces.length === 0) return false;
  const shown = shownText.replace(/\s+/g, ' ');
  return !pieces.some((piece) => shown.includes(piece));
}
