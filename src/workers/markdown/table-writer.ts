import type { Element } from 'domhandler';
import type { Table, TableCell, TableRow } from 'mdast';
import { alignOf } from '../extract/cell-align.ts';
import type { Holder, MdastWriter } from './mdast-writer.ts';
import { cellsOf, isDataTable, mostTableColumns, spanOf } from './tables.ts';

interface OpenTable {
  element: Element;
  table: Table;
  /** Of each column, over how many rows a cell above reaches. */
  spans: number[];
  row: TableRow | null;
  /** Rows of its foot, which may stand before the others. */
  foot: TableRow[];
  isInFoot: boolean;
}

/** 100 kB of a page can ask for a billion. */
const mostSpanned = 250_000;
const rowGroups = new Set(['thead', 'tbody', 'tfoot']);

/** Writes tables of data: what stands in any other is read as if there were none. */
export class TableWriter {
  readonly #writer: MdastWriter;
  readonly #tables: OpenTable[] = [];
  /** Cells that may yet be added for others that reach so far. */
  #spanned = mostSpanned;

  constructor(writer: MdastWriter) {
    this.#writer = writer;
  }

  /** @returns whether it is a table or a part of one, and needs nothing else. */
  enter(element: Element): boolean {
    if (element.name === 'table') {
      this.#enterTable(element);
      return true;
    }
    const open = this.#tables.at(-1);
    return open !== undefined && !this.#writer.isInCell && this.#enterPart(element, open);
  }

  #enterTable(element: Element): void {
    if (this.#writer.isOneLine || !isDataTable(element)) {
      this.#writer.break();
      return;
    }
    this.#writer.closeLine();
    const table: Table = { type: 'table', align: [], children: [] };
    this.#tables.push({ element, table, spans: [], row: null, foot: [], isInFoot: false });
  }

  #enterPart(element: Element, open: OpenTable): boolean {
    const { name: tag } = element;
    if (tag === 'tr') {
      open.row = { type: 'tableRow', children: [] };
      (open.isInFoot ? open.foot : open.table.children).push(open.row);
      return true;
    }
    if ((tag === 'td' || tag === 'th') && open.row !== null) {
      this.#enterCell(element, open, open.row);
      return true;
    }
    if (tag === 'caption') {
      this.#writer.closeLine();
      return true;
    }
    if (!rowGroups.has(tag)) return false;
    open.isInFoot = tag === 'tfoot';
    return true;
  }

  #enterCell(element: Element, open: OpenTable, row: TableRow): void {
    const { table, spans, isInFoot } = open;
    this.#fillSpans(row, spans);
    const cell: TableCell = { type: 'tableCell', children: [] };
    const { columns, rows } = spanOf(element);
    for (let n = 0; n < columns && (n === 0 || this.#spanned-- > 0); n++) {
      const column = row.children.length;
      if (rows > 1 && column < mostTableColumns) spans[column] = rows;
      // Numbers stand to the right of their column, and their head may say nothing of it.
      if (!isInFoot && table.children.length <= 2 && table.align) table.align[column] ??= alignOf(element);
      row.children.push(n === 0 ? cell : { type: 'tableCell', children: [] });
    }
    this.#writer.enterCell(element, cell as Holder);
  }

  /** Cells that one above reaches into. */
  #fillSpans({ children }: TableRow, spans: readonly number[]): void {
    while ((spans[children.length] ?? 0) > 0 && children.length < mostTableColumns && this.#spanned-- > 0)
      children.push({ type: 'tableCell', children: [] });
  }

  /** @returns whether it was a table or a part of one, and needs nothing else. */
  leave(element: Element): boolean {
    const open = this.#tables.at(-1);
    if (open === undefined) return false;
    if (this.#writer.leaveCell(element)) return true;
    if (this.#writer.isInCell) return false;
    const { name: tag } = element;
    if (tag === 'tr' && open.row !== null) {
      this.#fillSpans(open.row, open.spans);
      open.spans = open.spans.map((rows) => Math.max(0, (rows ?? 0) - 1));
      open.row = null;
      return true;
    }
    if (open.element !== element) {
      if (!rowGroups.has(tag)) return false;
      open.spans = [];
      open.isInFoot = false;
      return true;
    }
    this.#tables.pop();
    for (const row of open.foot) open.table.children.push(row);
    this.#writer.closeLine();
    if (cellsOf(open.table) > 0) this.#writer.append(open.table);
    this.#writer.closeLine();
    return true;
  }
}
