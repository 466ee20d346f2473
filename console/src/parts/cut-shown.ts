import { counted } from './words.ts';

/** Longest text that is shown; a page's HTML can be far longer, and makes the browser slow. */
const shownCharacters = 200_000;

/** The beginning of a long text, with a note of what is left out. */
export function cutShown(text: string, most = shownCharacters): string {
  const more = text.length - most;
  return more <= 0 ? text : `${text.slice(0, most)}\n\n… and ${counted(more, 'character')} more`;
}
