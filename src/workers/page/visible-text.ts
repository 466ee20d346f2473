import type { HtmlHandlers } from './scan-html.ts';
import { scanHtml } from './scan-html.ts';

const silentElements = new Set([
  'script',
  'style',
  'noscript',
  'template',
  'title',
  'svg',
  'iframe',
  'object',
  'textarea',
  'noembed',
  'noframes',
]);

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
  const silent: string[] = [];
  let pre = 0;
  return {
    onStartTag(name, attributes) {
      // A declared shadow tree is shown.
      if (silentElements.has(name) && !attributes.has('shadowrootmode')) silent.push(name);
      else if (name === 'pre') pre++;
      if (blocks.has(name)) parts.push('\n');
      else if (name === 'td' || name === 'th') parts.push('\t');
    },
    onText(text) {
      if (silent.length > 0) return;
      const shown = pre > 0 ? text : text.replace(/[ \t\r\n\f]+/g, ' ');
      parts.push(pre === 0 && parts.at(-1)?.endsWith(' ') ? shown.replace(/^ /, '') : shown);
    },
    onEndTag(name) {
      if (silent.at(-1) === name) silent.pop();
      else if (name === 'pre') pre = Math.max(0, pre - 1);
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
