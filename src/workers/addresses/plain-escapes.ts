const escaped = /%[\da-f]{2}/gi;
const unreserved = /[\w\-.~]/;

/** `%7E` and `~` are the same, and so are `%c3` and `%C3` (RFC 3986, section 6.2.2). */
export function plain(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(escaped, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return unreserved.test(character) ? character : escape.toUpperCase();
  });
}
