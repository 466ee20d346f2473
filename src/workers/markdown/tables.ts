import type { Element } from 'domhandler';
import type { AlignType, Table } from 'mdast';
import { walk } from '../extract/blocks.ts';

const mostSpan = 100;

/** How many columns and rows a cell takes, as browsers bound it. */
export function spanOf({ attribs }: Element): { columns: number; rows: number } {
  const read = (text: string | undefined): number => {
    const value = Number.parseInt(text ?? '1', 10);
    return value >= 1 && value <= mostSpan ? value : 1;
  };
  return { columns: read(attribs['colspan']), rows: read(attribs['rowspan']) };
}

export function alignOf({ attribs }: Element): AlignType {
  const told = attribs['align'] ?? /text-align\s*:\s*(left|right|center)/i.exec(attribs['style'] ?? '')?.[1];
  const align = told?.trim().toLowerCase();
  return align === 'left' || align === 'right' || align === 'center' ? align : null;
}

/** Whether a table holds data; one that lays out a page is read as what stands in it. */
export function isDataTable(table: Element): boolean {
  if (/^(?:presentation|none)$/i.test(table.attribs['role'] ?? '')) return false;
  let [rows, cells, heads, inner] = [0, 0, 0, 0];
  walk(
    table,
    (element) => {
      const { name: tag } = element;
      if (tag === 'tr') rows++;
      else if (tag === 'td') cells++;
      else if (tag === 'th') heads++;
      else if (element !== table && (tag === 'table' || /^h[1-3]$/.test(tag))) inner++;
      return tag !== 'table' || element === table;
    },
    () => undefined,
    () => undefined,
  );
  if (heads > 0) return inner <= cells / 4;
  return inner === 0 && cells > rows && rows > 0;
}

/** Makes all rows as long as the longest. @returns the number of rows that hold something. */
export function cellsOf(table: Table): number {
  table.children = table.children.filter(({ children }) => children.length > 0);
  let width = 0;
  for (const row of table.children) width = Math.max(width, row.children.length);
  for (const row of table.children) {
    while (row.children.length < Math.min(width, 1_000))
      row.children.push({ type: 'tableCell', children: [] });
  }
  const align = table.align ?? [];
  table.align = Array.from({ length: width }, (_, column) => align[column] ?? null);
  return table.children.length;
}
