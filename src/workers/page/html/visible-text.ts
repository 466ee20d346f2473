import { HiddenElements } from './hidden-elements.ts';
import type { HtmlHandlers } from './scan-html.ts';
import { scanHtml } from './scan-html.ts';
import { UnseenElements } from './unseen-elements.ts';

/** The fallback of an `object` is seen where nothing is loaded. */
const unseenElements = 'script style noscript template title svg iframe textarea noembed noframes'.split(' ');

const blocks = new Set(
  'address article aside blockquote body br caption center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup option p plaintext pre search section select summary table tbody tfoot thead tr ul xmp'.split(
    ' ',
  ),
);

const preformatted = new Set(['listing', 'plaintext', 'pre', 'xmp']);

/** Without the spaces around it, and the tab before the first cell. By hand: a regular expression looks at each run of spaces again from each of its places. */
function trimLine(line: string): string {
  let [start, end] = [0, line.length];
  while (end > 0 && ' \t\r\f'.includes(line.charAt(end - 1))) end--;
  while (start < end && ' \r\f'.includes(line.charAt(start))) start++;
  return line.slice(line[start] === '\t' ? start + 1 : start, end);
}

/** A run of text and line ends, and how much text that is. */
interface Passage {
  parts: string[];
  length: number;
  /** How many parts of what is seen come before it. */
  at: number;
}

/** Gathers what a reader sees, one block a line. */
export function createTextReader(html: string): HtmlHandlers & { text(): string } {
  const seen: Passage = { parts: [], length: 0, at: 0 };
  /** What one element hides with all in it, the last one, and the one that hides most. */
  let held: Passage | null = null;
  let most: Passage | null = null;
  const unseen = new UnseenElements(unseenElements, ['foreignobject', 'text']);
  const hidden = new HiddenElements(html);
  let pre = 0;
  const turn = (): void => {
    if (!hidden.isHidden) held = null;
    else held ??= { parts: [], length: 0, at: seen.parts.length };
  };
  // What is hidden but has its place stands on lines of its own.
  const write = (mark: string): void => {
    held?.parts.push(mark);
    if (!hidden.isGone) seen.parts.push(mark);
  };
  // A text of an SVG, and what of one has a place of its own.
  const isOwnLine = (name: string, attributes: ReadonlyMap<string, string>): boolean =>
    unseen.drawn === 'text' &&
    (name === 'text' || (name === 'tspan' && ['x', 'y', 'dy'].some((place) => attributes.has(place))));
  return {
    onStartTag(name, attributes) {
      const isUnseen = unseen.start(name, attributes);
      hidden.start(name, attributes);
      turn();
      if (!isUnseen && preformatted.has(name)) pre++;
      if (blocks.has(name) || isOwnLine(name, attributes)) write('\n');
      else if (name === 'td' || name === 'th') write('\t');
    },
    onText(text) {
      if (unseen.inside !== null || hidden.isNever) return;
      const passage = held ?? seen;
      const { parts } = passage;
      const shown = pre > 0 ? text : text.replace(/[ \t\r\n\f]+/g, ' ');
      parts.push(pre === 0 && parts.at(-1)?.endsWith(' ') ? shown.replace(/^ /, '') : shown);
      passage.length += text.trim().length;
      if (held !== null && held.length > (most?.length ?? 0)) most = held;
    },
    onEndTag(name) {
      const isDrawn = name === 'text' && unseen.drawn === 'text';
      if (!unseen.end(name) && preformatted.has(name)) pre = Math.max(0, pre - 1);
      if (blocks.has(name) || isDrawn) write('\n');
      hidden.end(name);
      turn();
    },
    text() {
      // A page that hides most of itself is shown by a script, or by its style sheets.
      const isPage = most !== null && most.length > seen.length;
      const parts = isPage
        ? [seen.parts.slice(0, most?.at), most?.parts ?? [], seen.parts.slice(most?.at)].flat()
        : seen.parts;
      return parts
        .join('')
        .split('\n')
        .map(trimLine)
        .filter((line) => line !== '')
        .join('\n');
    },
  };
}

export function readVisibleText(html: string): string {
  const reader = createTextReader(html);
  scanHtml(html, reader);
  return reader.text();
}
