/** A directive with a value, which may be a word that is a directive elsewhere: `max-image-preview:none`. */
const valued = /max-[a-z-]{1,20}\s{0,9}:\s{0,9}[^\s,;]*/g;

/**
 * Whether `<meta name=robots>` or `X-Robots-Tag` asks that. What names one crawler, as in `googlebot: noindex`, is taken
 * for all of them; `none` is both.
 */
export function robotsSay(text: string | null | undefined, directive: 'noindex' | 'nofollow'): boolean {
  const said = (text ?? '')
    .toLowerCase()
    .replace(valued, '')
    .split(/[\s,;:]+/);
  return said.includes(directive) || said.includes('none');
}
