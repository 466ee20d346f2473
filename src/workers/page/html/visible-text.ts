import type { HtmlHandlers } from './scan-html.ts';
import { scanHtml } from './scan-html.ts';
import { SilentElements } from './silent-elements.ts';

/** The fallback of an `object` is seen where nothing is loaded. */
const silentElements = 'script style noscript template title svg iframe textarea noembed noframes'.split(' ');

const blocks = new Set(
  'address article aside blockquote body br caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p pre search section summary table tbody tfoot thead tr ul'.split(
    ' ',
  ),
);

/** Without the spaces around it, and the tab before the first cell. By hand: a regular expression looks at each run of spaces again from each of its places. */
function trimLine(line: string): string {
  let [start, end] = [0, line.length];
  while (end > 0 && ' \t\r\f'.includes(line.charAt(end - 1))) end--;
  while (start < end && ' \r\f'.includes(line.charAt(start))) start++;
  return line.slice(line[start] === '\t' ? start + 1 : start, end);
}

/** Gathers what a reader sees, one block a line. */
function createTextReader(): HtmlHandlers & { text(): string } {
  const parts: string[] = [];
  const silent = new SilentElements(silentElements);
  let pre = 0;
  return {
    onStartTag(name, attributes) {
      const isSilent = silent.start(name, attributes);
      if (!isSilent && name === 'pre') pre++;
      if (blocks.has(name)) parts.push('\n');
      else if (name === 'td' || name === 'th') parts.push('\t');
    },
    onText(text) {
      if (silent.inside !== null) return;
      const shown = pre > 0 ? text : text.replace(/[ \t\r\n\f]+/g, ' ');
      parts.push(pre === 0 && parts.at(-1)?.endsWith(' ') ? shown.replace(/^ /, '') : shown);
    },
    onEndTag(name) {
      if (!silent.end(name) && name === 'pre') pre = Math.max(0, pre - 1);
      if (blocks.has(name)) parts.push('\n');
    },
    text: () =>
      parts
        .join('')
        .split('\n')
        .map(trimLine)
        .filter((line) => line !== '')
        .join('\n'),
  };
}

export function readVisibleText(html: string): string {
  const reader = createTextReader();
  scanHtml(html, reader);
  return reader.text();
}
