import { decodeXML } from 'entities';
import { attribute, readPart, readRelations } from './office-file.ts';
import { unpackEntry, type ZipEntry } from './zip.ts';

/** What a sheet tells that the workbook's reader does not read; rows and columns are counted from 0. */
export interface SheetLayout {
  hiddenRows: ReadonlySet<number>;
  hiddenColumns: ReadonlySet<number>;
  /** Addresses that formulas lead to, by `cellKey`. */
  links: ReadonlyMap<string, string>;
}

const plain: SheetLayout = { hiddenRows: new Set(), hiddenColumns: new Set(), links: new Map() };
export const mostColumns = 16_384;
const on = /\shidden\s*=\s*["'](?:1|true)["']/;

export const cellKey = (row: number, column: number): string => `${row} ${column}`;

/**
 * Reads the layout of sheets (ECMA-376 part 1, sections 18.3.1.13, 18.3.1.40 and 18.3.1.73) by their place in the
 * workbook.
 */
export function createLayoutReader(
  file: Buffer,
  entries: readonly ZipEntry[],
): (sheet: number) => SheetLayout {
  const targets = new Map<string | null, string | null>();
  for (const tag of readRelations(file, entries, 'xl/workbook.xml'))
    targets.set(attribute(tag, 'Id'), attribute(tag, 'Target'));
  const paths: (string | null)[] = [];
  for (const [tag] of readPart(file, entries, 'xl/workbook.xml').matchAll(/<(?:\w+:)?sheet\s[^<>]*>/g)) {
    const target = targets.get(attribute(tag, '\\w+:id')) ?? null;
    paths.push(target === null ? null : (URL.parse(target, 'file:///xl/')?.pathname.slice(1) ?? null));
  }
  return (sheet) => {
    const path = paths[sheet] ?? null;
    const entry = path === null ? undefined : entries.find(({ name }) => name === path);
    return entry === undefined ? plain : readLayout(unpackEntry(file, entry));
  };
}

function readLayout(part: Buffer): SheetLayout {
  const [isHiding, isLinking] = [part.includes('hidden='), part.includes('HYPERLINK(')];
  if (!isHiding && !isLinking) return plain;
  const xml = part.toString('utf8');
  return { ...(isHiding ? readHidden(xml) : plain), links: isLinking ? readLinks(xml) : plain.links };
}

function readHidden(xml: string): Omit<SheetLayout, 'links'> {
  const hiddenRows = new Set<number>();
  /** How many more ranges of hidden columns begin at each column than end before it. */
  const begun = new Int32Array(mostColumns + 1);
  let row = 0;
  for (const [tag, name] of xml.matchAll(/<(?:\w+:)?(row|col)\s[^<>]*>/g)) {
    if (name === 'row') {
      row = Number(attribute(tag, 'r') ?? row + 1);
      if (on.test(tag)) hiddenRows.add(row - 1);
    } else if (on.test(tag)) {
      const first = Number(attribute(tag, 'min'));
      const last = Math.min(Number(attribute(tag, 'max')), mostColumns);
      if (!(first >= 1 && first <= last)) continue;
      begun[first - 1] = (begun[first - 1] ?? 0) + 1;
      begun[last] = (begun[last] ?? 0) - 1;
    }
  }
  const hiddenColumns = new Set<number>();
  for (let at = 0, open = 0; at < mostColumns; at++) {
    open += begun[at] ?? 0;
    if (open > 0) hiddenColumns.add(at);
  }
  return { hiddenRows, hiddenColumns };
}

/** Whether this leads into a workbook, this one or another by its name, not to an address. */
export const isPlace = (target: string): boolean => /^\s*[#[]/.test(target);

/** Of formulas that are a link and state its address. */
function readLinks(xml: string): Map<string, string> {
  const links = new Map<string, string>();
  for (const [, tag = '', formula = ''] of xml.matchAll(
    /<(?:\w+:)?c(\s[^<>]*)>\s*<(?:\w+:)?f(?:\s[^<>]*)?>([^<]*)</g,
  )) {
    const url = /^\s*HYPERLINK\(\s*"((?:[^"]|"")*)"/i.exec(decodeXML(formula))?.[1];
    const [, letters = '', row = ''] = /^([A-Z]{1,3})(\d{1,7})$/.exec(attribute(tag, 'r') ?? '') ?? [];
    if (url === undefined || isPlace(url) || row === '') continue;
    const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
    links.set(cellKey(Number(row) - 1, column - 1), url.replaceAll('""', '"'));
  }
  return links;
}
