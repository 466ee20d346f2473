import { crc32, inflateRawSync } from 'node:zlib';
import { AppError } from '../../shared/errors.ts';

export interface ZipEntry {
  name: string;
  method: number;
  packedBytes: number;
  bytes: number;
  offset: number;
  isEncrypted: boolean;
}

const endHead = 0x06054b50;
const entryHead = 0x02014b50;
const endSize = 22;
const longestComment = 0xffff;
const mostEntries = 20_000;
/** Of all parts together, unpacked. */
const mostBytes = 150 * 1024 ** 2;

const damaged = (cause?: unknown): AppError =>
  new AppError(
    'unsupported_content',
    'The document is damaged and cannot be read. Give the URL of another copy.',
    { cause },
  );

/** Where the end of the list of parts begins. */
function findEnd(file: Buffer): number {
  let end = file.length - endSize;
  const last = Math.max(0, end - longestComment);
  while (end >= last && file.readUInt32LE(end) !== endHead) end--;
  if (end < last || end < 0) throw damaged();
  return end;
}

/**
 * The parts of an office document, by the list at its end (APPNOTE.TXT, section 4.3.12), before anything is unpacked.
 * @throws AppError `unsupported_content` (damaged, encrypted), `target_too_large` (parts of over 150 MB).
 */
function readZipEntries(file: Buffer): ZipEntry[] {
  const end = findEnd(file);
  const count = file.readUInt16LE(end + 10);
  if (count > mostEntries) {
    throw new AppError(
      'target_too_large',
      `The document has ${count.toLocaleString('en')} parts. Give the URL of a smaller one.`,
    );
  }
  let at = file.readUInt32LE(end + 16);
  const entries: ZipEntry[] = [];
  let sum = 0;
  for (let i = 0; i < count; i++) {
    if (at + 46 > file.length || file.readUInt32LE(at) !== entryHead) throw damaged();
    const nameBytes = file.readUInt16LE(at + 28);
    const entry: ZipEntry = {
      name: file.toString('utf8', at + 46, at + 46 + nameBytes),
      isEncrypted: (file.readUInt16LE(at + 8) & 1) === 1,
      method: file.readUInt16LE(at + 10),
      packedBytes: file.readUInt32LE(at + 20),
      bytes: file.readUInt32LE(at + 24),
      offset: file.readUInt32LE(at + 42),
    };
    if (entry.isEncrypted) {
      throw new AppError(
        'unsupported_content',
        'The document is encrypted. Give the URL of a copy without a password.',
      );
    }
    sum += entry.bytes;
    if (sum > mostBytes) {
      throw new AppError(
        'target_too_large',
        'The document unpacks to more than 150 MB. Give the URL of a smaller one.',
      );
    }
    entries.push(entry);
    at += 46 + nameBytes + file.readUInt16LE(at + 30) + file.readUInt16LE(at + 32);
  }
  return entries;
}

/** One part, unpacked. @throws AppError as `readZipEntries`, also where a part is larger than the list says. */
export function unpackEntry(file: Buffer, { offset, method, packedBytes, bytes }: ZipEntry): Buffer {
  if (offset + 30 > file.length) throw damaged();
  const start = offset + 30 + file.readUInt16LE(offset + 26) + file.readUInt16LE(offset + 28);
  const packed = file.subarray(start, start + packedBytes);
  if (method === 0) return packed;
  if (method !== 8) throw damaged();
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, bytes) });
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new AppError(
        'target_too_large',
        'A part of the document is larger than the document says. Give the URL of another one.',
      );
    }
    throw damaged(error);
  }
}

/** Every part is what the list says: a reader that trusts it can then be let loose on the file. */
export function checkZip(file: Buffer): ZipEntry[] {
  const entries = readZipEntries(file);
  for (const entry of entries) if (entry.bytes > 0) unpackEntry(file, entry);
  return entries;
}

/** The file with another content of a part that it has. @param file that `checkZip` has passed. */
export function replaceEntry(file: Buffer, name: string, content: Buffer): Buffer {
  const end = findEnd(file);
  const listAt = file.readUInt32LE(end + 16);
  const tail = Buffer.from(file.subarray(listAt));
  const path = Buffer.from(name);
  let at = 0;
  while (at < end - listAt) {
    const size = tail.readUInt16LE(at + 28);
    if (tail.subarray(at + 46, at + 46 + size).equals(path)) break;
    at += 46 + size + tail.readUInt16LE(at + 30) + tail.readUInt16LE(at + 32);
  }
  if (at >= end - listAt) throw damaged();
  const head = Buffer.alloc(30);
  head.writeUInt32LE(0x04034b50);
  head.writeUInt16LE(20, 4);
  head.writeUInt32LE(crc32(content), 14);
  head.writeUInt32LE(content.length, 18);
  head.writeUInt32LE(content.length, 22);
  head.writeUInt16LE(path.length, 26);
  // Flags, method, time, sum and sizes stand in the list as before the part, two bytes further on.
  head.copy(tail, at + 8, 6, 26);
  tail.writeUInt32LE(listAt, at + 42);
  tail.writeUInt32LE(listAt + head.length + path.length + content.length, end - listAt + 16);
  return Buffer.concat([file.subarray(0, listAt), head, path, content, tail]);
}
