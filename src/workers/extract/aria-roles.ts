import { type Document, type Element, isTag } from 'domhandler';
import { walk } from './walk.ts';

/** Tags that say nothing of what they hold. */
const plainTags = new Set(['div', 'span']);
const partTags: Readonly<Record<string, string>> = {
  rowgroup: 'tbody',
  row: 'tr',
  cell: 'td',
  gridcell: 'td',
  columnheader: 'th',
  rowheader: 'th',
};
const roleOf = ({ name, attribs }: Element): string =>
  plainTags.has(name) ? (attribs['role']?.trim().toLowerCase() ?? '') : '';

/** Makes what is a table or a heading by its role alone (WAI-ARIA 1.2) the element that HTML has for it. */
export function replaceRoles(tree: Document): void {
  const tables: Element[] = [];
  walk(
    tree,
    (element) => {
      const role = roleOf(element);
      if (role === 'heading') {
        const level = Number(element.attribs['aria-level'] ?? 2);
        // One of the first level is that of a part more often than the title of the page.
        if (level >= 1 && level <= 6) element.name = `h${Math.max(2, Math.floor(level))}`;
      } else if (role === 'table' || role === 'grid') tables.push(element);
      return true;
    },
    () => undefined,
    () => undefined,
  );
  for (const table of tables) nameTable(table);
}

/** Of parts that stand in one another as those of a table do, the table; of others nothing. */
function nameTable(table: Element): void {
  const parts: [Element, string][] = [];
  const take = (holder: Element, wanted: RegExp): Element[] =>
    holder.children.filter((child): child is Element => {
      if (!isTag(child) || !wanted.test(roleOf(child))) return false;
      parts.push([child, partTags[roleOf(child)] as string]);
      return true;
    });
  const groups = take(table, /^rowgroup$/);
  const rows = [table, ...groups].flatMap((holder) => take(holder, /^row$/));
  const cells = rows.flatMap((row) => take(row, /^(?:cell|gridcell|columnheader|rowheader)$/));
  const isWhole =
    rows.length > 1 && rows.every((row) => row.children.every((child) => !isTag(child) || partOf(child)));
  if (!isWhole || cells.length < 2) return;
  table.name = 'table';
  for (const [part, name] of parts) part.name = name;
}

const partOf = (child: Element): boolean => /^(?:cell|gridcell|columnheader|rowheader)$/.test(roleOf(child));
