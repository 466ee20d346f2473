import { type AnyNode, type Document, Element, isTag, isText } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { blockTags } from './element-kinds.ts';
import { textOf } from './page-facts.ts';
import { walk } from './walk.ts';

/** A number, a letter or a sign, in brackets or not. */
const noteMark = /^[\s[\](){}.:^]*(?:\d{1,4}|[a-z]{1,2}|[*†‡§¶]{1,4})[\s[\](){}.:^]*$/iu;
const noteTags = new Set('div p aside section dd'.split(' '));
const mostLinks = 5_000;
/** Links of a note that lead back to one reference. */
const mostBacks = 3;
const mostLevels = 8;
/** Characters, and elements within; a larger one is a part of the text. */
const longestNote = 1_000;
const mostOfNote = 500;
const partTags = /^(?:h[1-6]|table|section|pre|article)$/;
/** A name that only a note has, and what even such a one does not hold. */
const noteId = /^_?(?:sd)?(?:(?:foot|end)-?note(?:def)?|note|ftn|edn|fn|en)[-_:.]?\d{1,4}$/i;
const sectionTags = /^(?:h[1-6]|section|article)$/;
const longestNamed = 20_000;

interface Link {
  element: Element;
  target: string;
}

interface Backs {
  /** The links that lead there, the first few. */
  links: Element[];
  /** The last: notes stand behind the text. */
  last: Element;
  at: number;
}

interface Found {
  reference: Element;
  target: string;
  place: Element;
  back: Element;
  note: Element;
}

/**
 * Makes footnotes that are no items of a list ones: what a number links to, where something in it links back to the
 * number. The roles tell notes and references (DPUB-ARIA 1.1).
 */
export function replaceNotes(tree: Document): void {
  const links: Link[] = [];
  const byId = new Map<string, Element>();
  walk(
    tree,
    (element) => {
      const { name, attribs } = element;
      const own = name === 'a' ? [attribs['id'], attribs['name']] : [attribs['id']];
      for (const id of own) if (id !== undefined && !byId.has(id)) byId.set(id, element);
      const href = name === 'a' ? attribs['href'] : undefined;
      if (href !== undefined && /^#./.test(href) && links.length < mostLinks)
        links.push({ element, target: href.slice(1) });
      return true;
    },
    () => undefined,
    () => undefined,
  );
  const backs = new Map<string, Backs>();
  for (const [at, { element, target }] of links.entries()) {
    const before = backs.get(target)?.links ?? [];
    backs.set(target, {
      links: before.length < mostBacks ? [...before, element] : before,
      last: element,
      at,
    });
  }
  const found: Found[] = [];
  /** What is linked to in each. */
  const placesOf = new Map<Element, Set<Element>>();
  for (const [at, { element: reference, target }] of links.entries()) {
    const place = byId.get(target);
    const back = place === undefined ? undefined : backOf(reference, backs);
    if (place === undefined || back === undefined || back.at <= at) continue;
    const note = noteOf(place, back.last);
    if (note === null || !noteMark.test(textOf(reference, 20)) || isWithin(reference, note)) continue;
    // A way up that many parts have leads to no reference.
    if (!back.links.every((link) => isWithin(link, note))) continue;
    placesOf.set(note, (placesOf.get(note) ?? new Set<Element>()).add(place));
    found.push({ reference, target, place, back: back.last, note });
  }
  const notes = new Set<Element>();
  const parts = new Set(
    [...placesOf].filter(([note, places]) => places.size > 1 || isPart(note, places)).map(([note]) => note),
  );
  for (const { reference, target, place, back, note } of found) {
    if (parts.has(note)) continue;
    reference.attribs['role'] = 'doc-noteref';
    if (notes.has(note)) continue;
    notes.add(note);
    takeBracketsOut(reference);
    takeMarkOut(back, note);
    if (place.name === 'dt') adapter.detachNode(place);
    note.name = 'li';
    note.attribs = { id: target, role: 'doc-endnote' };
  }
  for (const holder of new Set([...notes].map(({ parent }) => parent)))
    if (holder !== null) makeList(holder, notes);
}

/** Whether it is a part of a page with a heading, a table or a text of its own, and no note. */
function isPart(note: Element, places: ReadonlySet<Element>): boolean {
  const isNamed = [...places].some(({ attribs }) => noteId.test(attribs['id'] ?? attribs['name'] ?? ''));
  const [tags, longest] = isNamed ? [sectionTags, longestNamed] : [partTags, longestNote];
  let isNote = true;
  let [characters, elements] = [0, 0];
  walk(
    note,
    (element) => {
      if (++elements > mostOfNote || (element !== note && tags.test(element.name))) isNote = false;
      return isNote;
    },
    () => undefined,
    ({ data }) => {
      characters += data.trim().length;
      isNote &&= characters <= longest;
    },
  );
  return !isNote;
}

/** The link that leads back to a reference, or to what stands closely around it. */
function backOf<T>(reference: Element, backs: ReadonlyMap<string, T>): T | undefined {
  let at: Element['parent'] = reference;
  for (let n = 0; at !== null && isTag(at) && !blockTags.has(at.name) && n < 3; at = at.parent, n++) {
    const back = backs.get(at.attribs['id'] ?? '') ?? backs.get(at.attribs['name'] ?? '');
    if (back !== undefined) return back;
  }
  return undefined;
}

/** The element that holds both what is linked to and the link back; a list's own items need no help. */
function noteOf(place: Element, back: Element): Element | null {
  const isTerm = place.name === 'dt';
  let up: Element['parent'] = back;
  for (let n = 0; up !== null && isTag(up) && n < mostLevels; up = up.parent, n++) {
    if (/^(?:h[1-6]|li|td|th)$/.test(up.name)) return null;
    const holds = isTerm ? up.name === 'dd' && isBehind(up, place) : isWithin(place, up);
    if (holds && noteTags.has(up.name)) return up;
  }
  return null;
}

function isWithin(element: Element, holder: Element): boolean {
  let up: Element['parent'] = element;
  for (let n = 0; up !== null && n < mostLevels; up = up.parent, n++) if (up === holder) return true;
  return false;
}

/** Whether only white space stands between the two. */
function isBehind(description: Element, term: Element): boolean {
  let before: AnyNode | null = description.prev;
  if (before !== null && isText(before) && before.data.trim() === '') before = before.prev;
  return before === term;
}

/** The reference is a mark of its own. */
function takeBracketsOut({ prev, next }: Element): void {
  if (prev === null || next === null || !isText(prev) || !isText(next)) return;
  if (!/\[\s{0,9}$/.test(prev.data) || !/^\s{0,9}\]/.test(next.data)) return;
  prev.data = prev.data.replace(/\[\s{0,9}$/, '');
  next.data = next.data.replace(/^\s{0,9}\]/, '');
}

/** Takes out the link back, and the brackets or the point of the number that it is. */
function takeMarkOut(back: Element, note: Element): void {
  let mark = back;
  for (
    let up = back.parent;
    up !== null && isTag(up) && up !== note && noteMark.test(textOf(up, 20));
    up = up.parent
  )
    mark = up;
  const { prev, next } = mark;
  if (prev !== null && isText(prev)) prev.data = prev.data.replace(/[[(]\s{0,9}$/, '');
  if (next !== null && isText(next)) next.data = next.data.replace(/^\s{0,9}[\]).:]{1,2}(?=\s|$)/, '');
  adapter.detachNode(mark);
}

/** Puts a list around notes that follow one another. */
function makeList(holder: NonNullable<Element['parent']>, notes: ReadonlySet<Element>): void {
  const children: typeof holder.children = [];
  let list: Element | null = null;
  for (const child of holder.children) {
    if (isTag(child) && notes.has(child)) {
      if (list === null) children.push((list = new Element('ol', {})));
      list.children.push(child);
    } else {
      if (!isText(child) || child.data.trim() !== '') list = null;
      children.push(child);
    }
  }
  if (isTag(holder) && holder.name === 'dl') holder.name = 'div';
  adopt(holder, children);
  for (const child of children)
    if (isTag(child) && notes.has(child.children[0] as Element)) adopt(child, child.children);
}

function adopt(holder: NonNullable<Element['parent']>, children: typeof holder.children): void {
  holder.children = children;
  for (const [i, child] of children.entries()) {
    child.parent = holder;
    child.prev = children[i - 1] ?? null;
    child.next = children[i + 1] ?? null;
  }
}
