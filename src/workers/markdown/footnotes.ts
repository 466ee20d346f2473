import { type AnyNode, type Document, type Element, isTag, isText } from 'domhandler';
import { codeText } from '../extract/code-text.ts';
import { walk } from '../extract/walk.ts';
import { noteId, noteRoles } from '../extract/content-html.ts';

/** Footnotes of a page: links to items of a list of notes. */
export interface Footnotes {
  /** The label of the note that this link leads to. */
  referenceOf(link: Element): string | null;
  /** The label of the note that this element is. */
  definitionOf(element: Element): string | null;
  isBackLink(element: Element): boolean;
  isList(list: Element): boolean;
  /** A raised number that is a reference needs no raising of its own. */
  holdsReference(element: Element): boolean;
}

const backId = /^(?:user-content-)?(?:fnref|footnote-?ref|noteref|cite_ref|_ftnref|ref(?=[-_:.]?\d|$))/i;

/** What links back of a note say, where no name tells them. */
const backSigns = /^[\s\ufe0e\ufe0f]*[↩↑⤴^][\s\ufe0e\ufe0f]*$/u;

/** The fragment of a link to the page itself. */
function fragmentOf(href: string | undefined, page: string): string | null {
  const at = href?.indexOf('#') ?? -1;
  if (href === undefined || at < 0 || at === href.length - 1) return null;
  return at === 0 || href.slice(0, at) === page ? href.slice(at + 1) : null;
}

const hasNoteRole = ({ attribs }: Element): boolean => noteRoles.has(attribs['role'] ?? '');

/** Of items that only raised links name as notes, drops those in lists that have other items too. */
function dropItems(notes: Map<string, Element>): void {
  const unsure = [...notes].filter(([id, element]) => !noteId.test(id) && !hasNoteRole(element));
  const items = new Set<AnyNode>(notes.values());
  const isOther = (child: AnyNode): boolean =>
    isTag(child) &&
    child.name === 'li' &&
    !items.has(child) &&
    child.children.some((part) => !isText(part) || part.data.trim() !== '');
  const mixed = new Set(
    [...new Set(unsure.map(([, { parent }]) => parent))].filter((list) => list?.children.some(isOther)),
  );
  for (const [id, { parent }] of unsure) if (mixed.has(parent)) notes.delete(id);
}

/** @param base the page's own address; null where links to it are fragments only. */
export function findFootnotes(root: Document | Element, base: string | null): Footnotes {
  const page = base?.split('#', 1)[0] ?? '';
  const notes = new Map<string, Element>();
  const linked = new Set<string>();
  /** Links back, each with the note that it stands in. */
  const backLinks = new Map<Element, Element>();
  /** What raised links to the page itself lead to: such items are notes. */
  const raised = new Set<string>();
  const raisedLinks = new Set<Element>();
  let note: Element | null = null;
  let raisings = 0;
  walk(
    root,
    (element) => {
      const { name: tag, attribs } = element;
      if (tag === 'sup') raisings++;
      const id = tag === 'li' ? attribs['id'] : undefined;
      if (id !== undefined && (noteId.test(id) || raised.has(id) || hasNoteRole(element))) {
        notes.set(id, element);
        note ??= element;
      }
      const fragment = tag === 'a' ? fragmentOf(attribs['href'], page) : null;
      if (fragment === null) return true;
      if (linked.size < 5_000) {
        linked.add(fragment);
        if (raisings > 0) raised.add(fragment);
      }
      if (raisings > 0) raisedLinks.add(element);
      const isBack = (): boolean =>
        attribs['role'] === 'doc-backlink' || backId.test(fragment) || backSigns.test(codeText(element));
      if (note !== null && isBack()) backLinks.set(element, note);
      return true;
    },
    (element) => {
      if (element === note) note = null;
      if (element.name === 'sup') raisings--;
    },
    () => undefined,
  );
  dropItems(notes);
  const labels = new Map<Element, string>();
  const byId = new Map<string, string>();
  for (const [id, element] of notes) {
    if (!linked.has(id)) continue;
    const label = String(labels.size + 1);
    labels.set(element, label);
    byId.set(id, label);
  }
  const lists = new Set<AnyNode | null>([...labels.keys()].map((item) => item.parent));
  const referenceOf = (link: Element): string | null => {
    const fragment = fragmentOf(link.attribs['href'], page);
    // Of notes that only raised links tell, the others have words of their own.
    const isOne = fragment !== null && (noteId.test(fragment) || raisedLinks.has(link) || hasNoteRole(link));
    return isOne ? (byId.get(fragment) ?? null) : null;
  };
  return {
    referenceOf,
    definitionOf: (element) => labels.get(element) ?? null,
    isBackLink: (link) => {
      const holder = backLinks.get(link);
      return holder !== undefined && labels.has(holder);
    },
    isList: (list) => lists.has(list),
    holdsReference: ({ children }) =>
      labels.size > 0 &&
      children.some((child) => isTag(child) && child.name === 'a' && referenceOf(child) !== null),
  };
}
