import { type AnyNode, type Element, isTag } from 'domhandler';
import type { Block, PageBlocks, Scope } from './blocks.ts';
import { textOf } from './page-facts.ts';
import { walk } from './walk.ts';

/** A number, a letter or a sign, in brackets or not. */
const noteMark = /^[\s[\](){}.]{0,3}(?:\d{1,3}|[a-z]|[*†‡§¶]{1,3})[\s[\](){}.]{0,3}$/iu;
const notesName = /(?:^|[\s_-])(?:foot|end)notes?(?:[\s_-]|$)/i;
const notesRole = /^doc-(?:endnotes?|footnotes?)$/;
const mostAbove = 3;
/** Elements of a note that are looked at, and how many notes are kept: more are a list of sources. */
const mostWithin = 50;
const mostNotes = 50;

const isOfNotes = ({ element: { attribs } }: Scope): boolean =>
  attribs['data-footnotes'] !== undefined ||
  notesRole.test(attribs['role'] ?? '') ||
  notesName.test(`${attribs['class']?.slice(0, 300) ?? ''} ${attribs['id']?.slice(0, 300) ?? ''}`);

/** Keeps the footnotes that picked text refers to by their numbers, however short they are. */
export function keepNotes({ blocks, scopes }: PageBlocks, picked: Uint8Array): void {
  const within = new Set<Scope>();
  const notes = new Map<string, Scope>();
  for (const scope of scopes) {
    if (isOfNotes(scope) || (scope.parent !== null && within.has(scope.parent))) within.add(scope);
    const { id } = scope.element.attribs;
    if (id !== undefined && scope.tag === 'li' && within.has(scope) && !scope.hidden) notes.set(id, scope);
  }
  if (notes.size === 0 || notes.size > mostNotes) return;
  for (const block of blocks.filter(({ index }) => picked[index] === 1)) {
    for (const reference of referencesIn(block)) {
      const note = notes.get(targetOf(reference));
      if (note === undefined || (note.first <= block.index && block.index < note.end)) continue;
      if (note.element.attribs['role'] !== 'doc-endnote' && !leadsBack(note.element, reference)) continue;
      picked.fill(1, note.first, note.end);
      notes.delete(targetOf(reference));
    }
  }
}

const targetOf = ({ attribs }: Element): string => attribs['href']?.slice(1) ?? '';

/** The links from numbers to places of the page. */
function referencesIn({ nodes, links }: Block): Element[] {
  const found = new Set<Element>();
  for (const node of links === 0 ? [] : nodes) {
    let up: AnyNode | null = node.parent;
    for (let n = 0; n < mostAbove && up !== null && isTag(up) && up.name !== 'a'; n++) up = up.parent;
    if (up !== null && isTag(up) && up.attribs['href']?.startsWith('#') === true) found.add(up);
  }
  return [...found].filter((link) => noteMark.test(textOf(link, 20, mostWithin)));
}

/** Whether a link in a note leads to a reference, or to what stands closely around it. */
function leadsBack(note: Element, reference: Element): boolean {
  const ids = new Set<string>();
  let up: AnyNode | null = reference;
  for (let n = 0; n < mostAbove && up !== null && isTag(up); up = up.parent, n++)
    if (up.attribs['id'] !== undefined) ids.add(up.attribs['id']);
  let [seen, isBack] = [0, false];
  walk(
    note,
    (element) => {
      if (element.name === 'a' && ids.has(targetOf(element))) isBack = true;
      return ++seen <= mostWithin && !isBack;
    },
    () => undefined,
    () => undefined,
  );
  return isBack;
}
