import { type ChildNode, type Document, type Element, isTag, isText, type ParentNode } from 'domhandler';
import { html } from 'parse5';
import { adapter } from 'parse5-htmlparser2-tree-adapter';
import { codeText } from './code-text.ts';
import { isHidden } from './element-kinds.ts';
import type { Matched } from './selected-blocks.ts';
import { walk } from './walk.ts';

const mostLines = 20_000;

/** Puts code that a table lays out beside its line numbers in the table's place, between its caption, head and foot. */
export function replaceCodeTables(
  tree: Document,
  { excluded, replaced }: Pick<Matched, 'excluded' | 'replaced'>,
): void {
  const found: [Element, Element][] = [];
  walk(
    tree,
    (element) => {
      if (element.name !== 'table') return true;
      const code = codeOf(element, excluded);
      if (code !== null) found.push([element, code]);
      return code === null;
    },
    () => undefined,
    () => undefined,
  );
  for (const [table, code] of found) {
    replaced.set(table, code);
    // It goes with the table, or with the cell that it stands in.
    if (isOut(table, excluded) || (code.parent !== null && isOut(code.parent, excluded))) continue;
    const above = [...partsOf(table, 'caption'), ...cellsOf(table, 'thead')].filter(hasText);
    const below = cellsOf(table, 'tfoot').filter(hasText);
    adapter.detachNode(code);
    const toText = ({ children }: Element) => fill(create('p'), children);
    for (const part of [...above.map(toText), code, ...below.map(toText)])
      adapter.insertBefore(table.parent as Element, part, table);
    adapter.detachNode(table);
  }
}

/** The code of a table that has nothing else but numbers beside it: its one `pre`, else one made of its lines. */
function codeOf(table: Element, excluded: ReadonlySet<Element>): Element | null {
  const rows = partsOf(table, 'tbody').flatMap((body) => partsOf(body, 'tr'));
  const [row, ...others] = rows;
  if (row === undefined || rows.length > mostLines) return null;
  const [gutter, cell, ...cells] = partsOf(row, 'td', 'th');
  if (gutter === undefined || cells.length > 0) return null;
  if (cell === undefined) return others.length === 0 ? onlyPre(gutter) : null;
  if (!isNumbers(gutter)) return null;
  const pre = others.length === 0 ? onlyPre(cell) : null;
  if (
    pre !== null ||
    !isGutter(gutter) ||
    [...cellsOf(table, 'thead'), ...cellsOf(table, 'tfoot')].some(hasText)
  )
    return pre;
  const lines = others.length === 0 ? linesBeside(gutter, cell) : linesOfRows(rows);
  return lines === null
    ? null
    : makePre(
        lines.filter((line) => !isOut(line, excluded)),
        cell,
      );
}

/** Whether it or a part of its table that holds it is excluded. */
function isOut(part: ParentNode, excluded: ReadonlySet<Element>): boolean {
  for (let up: ParentNode | null = part; excluded.size > 0 && up !== null && isTag(up); up = up.parent) {
    if (excluded.has(up)) return true;
    if (up.name === 'table') break;
  }
  return false;
}

const isGutter = ({ attribs }: Element): boolean =>
  attribs['data-line-number'] !== undefined ||
  /(?:^|[\s_-])(?:gutter|blob-num|line-?no|linenos?|line-?numbers?|ln-numbers)(?:[\s_-]|$)/i.test(
    attribs['class']?.slice(0, 300) ?? '',
  );

/** Whether it is named as code or a line of it, or has no text but code. */
function isCode(cell: Element): boolean {
  const { attribs } = cell;
  if (attribs['data-line-number'] !== undefined) return true;
  if (
    /(?:^|[\s_-])(?:blob-code|hljs-ln|code-?(?:line|block)|line[_-]?(?:code|content|text|src|source))(?:[\s_-]|$)|(?:^|[\s_-])codes?(?:\s|$)|(?:^|\s)(?:blob|line|cl|src|source|chroma|highlight|prettyprint)(?:\s|$)/i.test(
      attribs['class']?.slice(0, 300) ?? '',
    )
  )
    return true;
  let isSo = true;
  walk(
    cell,
    ({ name }) => {
      isSo &&= name !== 'img' && name !== 'table';
      return isSo && name !== 'code' && name !== 'pre';
    },
    () => undefined,
    ({ data }) => void (isSo &&= data.trim() === ''),
  );
  return isSo;
}

/** The elements of a cell that stand for the numbers beside it, one for each. */
function linesBeside(gutter: Element, cell: Element): Element[] | null {
  const wanted = gutter.children.filter((child) => isTag(child)).length;
  if (wanted < 2 && !isCode(cell)) return null;
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
    const [gutter, line, ...cells] = partsOf(row, 'td', 'th');
    if (gutter === undefined || line === undefined || cells.length > 0) return null;
    if (!isGutter(gutter) || !isNumbers(gutter)) return null;
    if (gutter.attribs['data-line-number'] === undefined && !isCode(line)) return null;
    lines.push(line);
  }
  return lines.some(hasText) ? lines : null;
}

function makePre(lines: readonly Element[], { attribs }: Element): Element {
  const pre = create('pre', attribs['class']);
  for (const { children } of lines) {
    const line = fill(create('div'), children);
    // An empty line makes no line of its own.
    if (codeText(line) === '') adapter.insertText(line, '\n');
    adapter.appendChild(pre, line);
  }
  return pre;
}

const create = (name: string, className?: string): Element =>
  adapter.createElement(
    name,
    html.NS.HTML,
    className === undefined ? [] : [{ name: 'class', value: className }],
  );

function fill(holder: Element, children: readonly ChildNode[]): Element {
  for (const child of children.slice()) {
    adapter.detachNode(child);
    adapter.appendChild(holder, child);
  }
  return holder;
}

const partsOf = ({ children }: Element, ...names: string[]): Element[] =>
  children.filter((child) => isTag(child)).filter(({ name }) => names.includes(name));

const cellsOf = (table: Element, part: string): Element[] =>
  partsOf(table, part)
    .flatMap((one) => partsOf(one, 'tr'))
    .filter((row) => !isHidden(row) && !isHidden(row.parent as Element))
    .flatMap((row) => partsOf(row, 'td', 'th'));

/** A table counts as text: to look at all that stands in nested ones for each would take their square. */
function hasText(element: Element): boolean {
  let isFound = false;
  walk(
    element,
    (inner) => {
      const { name } = inner;
      isFound ||= name === 'table';
      return !isFound && name !== 'script' && name !== 'style' && name !== 'button' && !isHidden(inner);
    },
    () => undefined,
    ({ data }) => void (isFound ||= data.trim() !== ''),
  );
  return isFound;
}

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
