import { selectAll } from 'css-select';
import { type AnyNode, type Document, type Element, hasChildren, isTag, isText } from 'domhandler';
import { parse, serializeOuter } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import type { PickedElements } from '../../../shared/schemas/scraped-page.ts';

export interface ElementQuery {
  selector: string;
  attr?: string | undefined;
}

const maxMatches = 1_000;
/** Characters of all matches together: nested matches could else repeat a page a thousand times. */
const maxCharacters = 10_000_000;

/** Without recursion: a page may be nested deeper than the stack. */
function textOf(element: Element): string {
  const parts: string[] = [];
  const open: AnyNode[] = [element];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (isText(node)) parts.push(node.data);
    else if (hasChildren(node)) for (const child of node.children.toReversed()) open.push(child);
  }
  return parts.join('').replace(/\s+/g, ' ').trim();
}

/** Names are lower case in HTML, but not all of them in SVG (`viewBox`). */
function valueOf({ attribs }: Element, attr: string): string | null {
  const name = [attr, attr.toLowerCase()].find((one) => Object.hasOwn(attribs, one));
  return name === undefined ? null : (attribs[name] ?? null);
}

/** Picks what the selectors match out of a page, in the order of the document. */
export function pickElements(html: string, queries: readonly ElementQuery[]): PickedElements[] {
  const document: Document = parse(html, { treeAdapter: adapter });
  let left = maxCharacters;
  return queries.map(({ selector, attr }) => {
    const found = selectAll<AnyNode, Element>(selector, document).filter(isTag);
    const matches: PickedElements['matches'] = [];
    for (const element of found.slice(0, maxMatches)) {
      const text = textOf(element);
      const outer = serializeOuter(element, { treeAdapter: adapter });
      left -= text.length + outer.length;
      if (left < 0) break;
      const value = attr === undefined ? null : valueOf(element, attr);
      matches.push({ text, html: outer, attributes: { ...element.attribs }, value });
    }
    return { selector, attr: attr ?? null, count: found.length, matches };
  });
}
