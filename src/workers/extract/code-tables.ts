import { type Document, type Element, isTag, isText } from 'domhandler';
import { html } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { walk } from './blocks.ts';

const mostLines = 20_000;

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

/** The code of a table that has nothing else but numbers beside it: its one `pre`, else one made of its lines. */
function codeOf(table: Element): Element | null {
  const rows = partsOf(table, 'tbody').flatMap((body) => partsOf(body, 'tr'));
  const [row, ...others] = rows;
  if (row === undefined || rows.length > mostLines) return null;
  const [gutter, cell, ...cells] = partsOf(row, 'td');
  if (gutter === undefined || cells.length > 0) return null;
  if (cell === undefined) return others.length === 0 ? onlyPre(gutter) : null;
  if (!isNumbers(gutter)) return null;
  const pre = others.length === 0 ? onlyPre(cell) : null;
  if (pre !== null || !isGutter(gutter)) return pre;
  const lines = others.length === 0 ? linesBeside(gutter, cell) : linesOfRows(rows);
  return lines === null ? null : makePre(lines, cell);
}

const isGutter = ({ attribs }: Element): boolean =>
  attribs['data-line-number'] !== undefined ||
  /(?:^|[\s_-])(?:gutter|blob-num|line-?no|linenos?|line-?numbers?|ln-numbers)(?:[\s_-]|$)/i.test(
    attribs['class']?.slice(0, 300) ?? '',
  );

/** The elements of a cell that stand for the numbers beside it, one for each. */
function linesBeside(gutter: Element, cell: Element): Element[] | null {
  const wanted = gutter.children.filter((child) => isTag(child)).length;
  let holder = cell;
  for (let n = 0; n < 4; n++) {
    const inside = holder.children.filter((child) => isTag(child));
    if (holder.children.some((child) => isText(child) && child.data.trim() !== '')) return null;
    if (inside.length === wanted && inside.every(({ name }) => name === 'div')) return inside;
    const [only, ...others] = inside;
    if (only === undefined || others.length > 0) return null;
    holder = only;
  }
  return null;
}

/** The second cell of each row, where the first has nothing but its number. */
function linesOfRows(rows: readonly Element[]): Element[] | null {
  const lines: Element[] = [];
  for (const row of rows) {
    const [gutter, line, ...cells] = partsOf(row, 'td');
    if (gutter === undefined || line === undefined || cells.length > 0) return null;
    if (!isGutter(gutter) || !isNumbers(gutter)) return null;
    lines.push(line);
  }
  return lines;
}

function makePre(lines: readonly Element[], { attribs }: Element): Element {
  const create = (name: string, className?: string): Element =>
    adapter.createElement(
      name,
      html.NS.HTML,
      className === undefined ? [] : [{ name: 'class', value: className }],
    );
  const pre = create('pre', attribs['class']);
  for (const { children } of lines) {
    const line = create('div');
    for (const child of children.slice()) {
      adapter.detachNode(child);
      adapter.appendChild(line, child);
    }
    // An empty line makes no line of its own.
    if (line.children.length === 0) adapter.insertText(line, '\n');
    adapter.appendChild(pre, line);
  }
  return pre;
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
