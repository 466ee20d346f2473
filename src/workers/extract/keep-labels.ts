import { isTag } from 'domhandler';
import type { Block, PageBlocks, Scope } from './blocks.ts';

/** What names or signs a whole, and that whole: a line that says little by itself. */
const wholes: Readonly<Partial<Record<string, string>>> = {
  summary: 'details',
  caption: 'table',
  footer: 'blockquote',
  cite: 'blockquote',
};
/** The first line of a note beside the text, as generators of documentation name it. */
const noteTitle = /(?:^|[\s_-])(?:admonition|alert|callout)[-_]?(?:heading|title)(?:[\s_-]|$)/i;
const note = /(?:^|[\s_-])(?:admonition|alert|callout|custom-block)(?:[\s_-]|$)/i;
const mostLevels = 3;
/** What holds more of them is no label. */
const mostLines = 2;

/**
 * Keeps what names or signs a thing that is picked: the summary of details, a table's caption, the source of a quote, the
 * title of an admonition, the button that opens a panel.
 */
export function keepLabels(page: PageBlocks, picked: Uint8Array): void {
  const { scopes } = page;
  const before = new Uint32Array(picked.length + 1);
  for (const [i, one] of picked.entries()) before[i + 1] = (before[i] as number) + one;
  const pickedWithin = ({ first, end }: Scope): number => (before[end] as number) - (before[first] as number);
  for (const label of scopes) {
    const whole = wholeOf(label);
    if (whole === null || label.hidden || label.end - label.first > mostLines) continue;
    if (pickedWithin(whole) === pickedWithin(label)) continue;
    picked.fill(1, label.first, label.end);
  }
  const opened = readOpeners(page).filter(([, panel]) => pickedWithin(panel) > 0);
  const texts = new Set(opened.map(([{ text }]) => text));
  // Buttons that say the same, such as "Show more", name nothing; one alone may be of all the page.
  if (texts.size < 2 || texts.size < opened.length) return;
  for (const [{ index }] of opened) picked[index] = 1;
}

const longestName = 200;

/** Buttons right before what they open, as the questions of an accordion are, and that. */
function readOpeners({ blocks, scopes }: PageBlocks): [Block, Scope][] {
  const buttons = blocks.flatMap((block) => {
    const opens = block.text.length > 0 && block.text.length <= longestName ? openedBy(block) : null;
    return opens === null ? [] : [{ block, opens }];
  });
  const panels = new Map<string, Scope>();
  for (const scope of buttons.length < 2 ? [] : scopes) {
    const { id } = scope.element.attribs;
    if (id !== undefined && !panels.has(id)) panels.set(id, scope);
  }
  return buttons.flatMap(({ block, opens }): [Block, Scope][] => {
    const panel = panels.get(opens);
    return panel?.first === block.index + 1 ? [[block, panel]] : [];
  });
}

/** The id of what a click on a line opens. */
function openedBy({ nodes }: Block): string | null {
  const [node] = nodes;
  for (
    let up = node?.parent ?? null, n = 0;
    up !== null && isTag(up) && n < mostLevels;
    up = up.parent, n++
  ) {
    const { name, attribs } = up;
    if (name !== 'button' && attribs['role'] !== 'button') continue;
    return attribs['aria-controls'] ?? /^#(.+)/.exec(attribs['data-bs-target'] ?? '')?.[1] ?? null;
  }
  return null;
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

/** Whether it is a note beside the text, by its names. */
export const isNote = (scope: Scope): boolean =>
  !/^(?:article|body|main)$/.test(scope.tag) && note.test(classesOf(scope));
