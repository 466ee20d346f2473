import { type AnyNode, type Document, type Element, isTag } from 'domhandler';
import { walk } from '../extract/blocks.ts';

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

const noteId =
  /^(?:user-content-)?(?:fn|footnote|note|cite_note|endnote|easy-footnote-bottom)[-_:.]?[\w.:-]*$/i;
const backId = /^#?(?:user-content-)?(?:fnref|footnote-?ref|noteref|cite_ref|ref|_ftnref)/i;
const fragmentOf = (href: string | undefined): string | null => {
  const at = href?.indexOf('#') ?? -1;
  return href === undefined || at < 0 || at === href.length - 1 ? null : href.slice(at + 1);
};

export function findFootnotes(root: Document | Element): Footnotes {
  const notes = new Map<string, Element>();
  const linked = new Set<string>();
  walk(
    root,
    (element) => {
      const { name: tag, attribs } = element;
      if (tag === 'li' && attribs['id'] !== undefined && noteId.test(attribs['id']))
        notes.set(attribs['id'], element);
      if (tag === 'a') {
        const fragment = fragmentOf(attribs['href']);
        if (fragment !== null && linked.size < 5_000) linked.add(fragment);
      }
      return true;
    },
    () => undefined,
    () => undefined,
  );
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
    const fragment = fragmentOf(link.attribs['href']);
    return fragment === null ? null : (byId.get(fragment) ?? null);
  };
  return {
    referenceOf,
    definitionOf: (element) => labels.get(element) ?? null,
    isBackLink: ({ name, attribs }) =>
      labels.size > 0 &&
      name === 'a' &&
      (attribs['role'] === 'doc-backlink' || backId.test(fragmentOf(attribs['href']) ?? '')),
    isList: (list) => lists.has(list),
    holdsReference: ({ children }) =>
      labels.size > 0 &&
      children.some((child) => isTag(child) && child.name === 'a' && referenceOf(child) !== null),
  };
}
