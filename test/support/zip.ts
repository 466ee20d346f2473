import { crc32, deflateRawSync } from 'node:zlib';

const deflated = 8;

/** A ZIP file of these entries. @param isPacked whether they are compressed. */
export function createZip(entries: Record<string, string>, isPacked = false): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(entries)) {
    const [nameBytes, data] = [Buffer.from(name), Buffer.from(text)];
    const stored = isPacked ? deflateRawSync(data) : data;
    // Version, flags, method, time, date; then what both heads share.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(isPacked ? deflated : 0, 4);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(stored.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(nameBytes.length, 22);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('504b01021400', 'hex'), shared, place, nameBytes);
    const part = [Buffer.from('504b0304', 'hex'), shared, nameBytes, stored];
    parts.push(...part);
    offset += part.reduce((sum, { length }) => sum + length, 0);
  }
  const listed = Buffer.concat(directory);
  // More do not go into this list of the format; those who know the longer one are told by it.
  const count = Math.min(Object.keys(entries).length, 0xffff);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(listed.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, listed, end]);
}
