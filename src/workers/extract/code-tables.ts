import { type Document, type Element, isTag } from 'domhandler';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { walk } from './blocks.ts';

/** Puts code that a table lays out beside its line numbers in the table's place. */
export function replaceCodeTables(tree: Document): void {
  const found: [Element, Element][] = [];
  walk(
    tree,
    (element) => {
      const code = element.name === 'table' ? codeOf(element) : null;
      if (code !== null) found.push([element, code]);
      return code === null;
    },
    () => undefined,
    () => undefined,
  );
  for (const [table, code] of found) {
    adapter.detachNode(code);
    adapter.insertBefore(table.parent as Element, code, table);
    adapter.detachNode(table);
  }
}

/** The one `pre` of a table whose one row has nothing beside it but numbers. */
function codeOf(table: Element): Element | null {
  const [row, ...rows] = partsOf(table, 'tbody').flatMap((body) => partsOf(body, 'tr'));
  if (row === undefined || rows.length > 0) return null;
  const [gutter, cell, ...cells] = partsOf(row, 'td');
  if (gutter === undefined || cell === undefined || cells.length > 0) return null;
  return isNumbers(gutter) ? onlyPre(cell) : null;
}

const partsOf = ({ children }: Element, name: string): Element[] =>
  children.filter((child) => isTag(child)).filter((child) => child.name === name);

function isNumbers(cell: Element): boolean {
  let isSo = true;
  walk(
    cell,
    ({ name }) => (isSo &&= name !== 'table'),
    () => undefined,
    ({ data }) => void (isSo &&= /^[\s\d]*$/.test(data)),
  );
  return isSo;
}

function onlyPre(cell: Element): Element | null {
  const found: Element[] = [];
  let isOnly = true;
  walk(
    cell,
    (element) => {
      if (element.name === 'pre') found.push(element);
      isOnly &&= element.name !== 'table' && found.length < 2;
      return isOnly && element.name !== 'pre' && element.name !== 'button';
    },
    () => undefined,
    ({ data }) => void (isOnly &&= data.trim() === ''),
  );
  return isOnly ? (found[0] ?? null) : null;
}
