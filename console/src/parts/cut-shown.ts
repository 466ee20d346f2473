/** Longest text that is shown; a page's HTML can be far longer, and makes the browser slow. */
const shownCharacters = 200_000;

/** The beginning of an answer, with a note of what is left out. */
export function cutShown(text: string): string {
  const more = text.length - shownCharacters;
  return more <= 0
    ? text
    : `${text.slice(0, shownCharacters)}\n… ${more} more characters; programs get them all.`;
}
