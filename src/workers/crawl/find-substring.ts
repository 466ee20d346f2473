/** Texts up to this length are found by `indexOf`, whose work they bound. */
const shortest = 16;

/** For each beginning of a text: how long the longest shorter one is that it ends with. Null where nobody needs to know. */
export type Borders = Int32Array | null;

export function bordersOf(part: string): Borders {
  if (part.length <= shortest) return null;
  const borders = new Int32Array(part.length + 1);
  for (let at = 1; at < part.length; at++)
    borders[at + 1] = advance(part, borders, borders[at] ?? 0, part.charCodeAt(at));
  return borders;
}

/**
 * As `indexOf`, in time in proportion to both texts (Knuth, Morris and Pratt): that takes up to their product where both
 * repeat themselves.
 * @param borders those of `part`.
 */
export function findSubstring(text: string, part: string, borders: Borders, from: number): number {
  if (borders === null) return text.indexOf(part, from);
  if (text.length - from < part.length) return -1;
  let matched = 0;
  for (let at = from; at < text.length; at++) {
    matched = advance(part, borders, matched, text.charCodeAt(at));
    if (matched === part.length) return at + 1 - matched;
  }
  return -1;
}

/** How much of the part has come with this character, of which `matched` characters had come before it. */
function advance(part: string, borders: Int32Array, matched: number, code: number): number {
  let length = matched;
  while (length > 0 && part.charCodeAt(length) !== code) length = borders[length] ?? 0;
  return part.charCodeAt(length) === code ? length + 1 : 0;
}
