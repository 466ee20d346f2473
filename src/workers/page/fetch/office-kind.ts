export type OfficeKind = 'docx' | 'xlsx';

const fileHead = 0x04034b50;
const entryHead = 0x02014b50;
const endHead = 0x06054b50;
const endSize = 22;
const longestComment = 0xffff;
/** The parts that tell stand among the first. */
const readEntries = 2_000;

export const isZip = (bytes: Buffer): boolean =>
  bytes.length >= endSize && bytes.readUInt32LE(0) === fileHead;

/** Where the list of a ZIP file's entries begins (APPNOTE.TXT, section 4.3.16); -1 where it has none. */
function findDirectory(bytes: Buffer): number {
  const last = Math.max(0, bytes.length - endSize - longestComment);
  for (let at = bytes.length - endSize; at >= last; at--) {
    if (bytes.readUInt32LE(at) === endHead) return bytes.readUInt32LE(at + 16);
  }
  return -1;
}

/** The names of a ZIP file's first parts; null where its list of them is missing or damaged. */
export function readPartNames(bytes: Buffer): string[] | null {
  const names: string[] = [];
  let at = findDirectory(bytes);
  if (at < 0) return null;
  while (at + 46 <= bytes.length && names.length < readEntries && bytes.readUInt32LE(at) !== endHead) {
    if (bytes.readUInt32LE(at) !== entryHead) return null;
    const nameLength = bytes.readUInt16LE(at + 28);
    names.push(bytes.toString('latin1', at + 46, at + 46 + nameLength));
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return names;
}

/** Which office document (ECMA-376) a ZIP file is, by the names of its parts; null where it is none that is read. */
export function findOfficeKind(bytes: Buffer): OfficeKind | null {
  if (!isZip(bytes)) return null;
  for (const name of readPartNames(bytes) ?? []) {
    if (name.startsWith('word/')) return 'docx';
    if (name.startsWith('xl/')) return 'xlsx';
  }
  return null;
}
