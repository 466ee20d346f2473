import type { PageBlocks, Scope } from './blocks.ts';

/** What names or signs a whole, and that whole: a line that says little by itself. */
const wholes: Readonly<Partial<Record<string, string>>> = {
  summary: 'details',
  caption: 'table',
  footer: 'blockquote',
};
/** The first line of a note beside the text, as generators of documentation name it. */
const noteTitle = /(?:^|[\s_-])(?:admonition|alert|callout)[-_]?(?:heading|title)(?:[\s_-]|$)/i;
const note = /(?:^|[\s_-])(?:admonition|alert|callout|custom-block)(?:[\s_-]|$)/i;
const mostLevels = 3;
/** What holds more of them is no label. */
const mostLines = 2;

/**
 * Keeps what names or signs a thing that is picked: the summary of details, a table's caption, the source of a quote, the
 * title of an admonition.
 */
export function keepLabels({ scopes }: PageBlocks, picked: Uint8Array): void {
  const before = new Uint32Array(picked.length + 1);
  for (const [i, one] of picked.entries()) before[i + 1] = (before[i] as number) + one;
  const pickedWithin = ({ first, end }: Scope): number => (before[end] as number) - (before[first] as number);
  for (const label of scopes) {
    const whole = wholeOf(label);
    if (whole === null || label.hidden || label.end - label.first > mostLines) continue;
    if (pickedWithin(whole) === pickedWithin(label)) continue;
    picked.fill(1, label.first, label.end);
  }
}

const classesOf = ({ element }: Scope): string => element.attribs['class']?.slice(0, 300) ?? '';

function wholeOf(label: Scope): Scope | null {
  const { tag, parent } = label;
  if (parent !== null && noteTitle.test(classesOf(label)) && isNote(parent) && parent.first === label.first)
    return parent;
  const wanted = wholes[tag];
  if (wanted === undefined) return null;
  for (let up = parent, n = 0; up !== null && n < mostLevels; up = up.parent, n++)
    if (up.tag === wanted) return up;
  return null;
}

const isNote = (scope: Scope): boolean =>
  !/^(?:article|body|main)$/.test(scope.tag) && note.test(classesOf(scope));
