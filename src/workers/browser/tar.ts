/** One file of a tar archive. */
export interface TarEntry {
  name: string;
  mode: number;
  content: Buffer;
}

const blockBytes = 512;

/**
 * Reads the regular files of a ustar archive held in memory; other entries (folders, links) are skipped.
 * Enough for the archives that the bundled Chromium ships; long-name extensions are not read.
 */
export function* readTar(archive: Buffer): Generator<TarEntry> {
  let offset = 0;
  while (offset + blockBytes <= archive.length) {
    const header = archive.subarray(offset, offset + blockBytes);
    if (header[0] === 0) return;
    const sizeBytes = Number.parseInt(readText(header, 124, 12), 8) || 0;
    const type = readText(header, 156, 1);
    offset += blockBytes;
    if (type === '' || type === '0') {
      const prefix = readText(header, 345, 155);
      const name = readText(header, 0, 100);
      yield {
        name: prefix ? `${prefix}/${name}` : name,
        mode: Number.parseInt(readText(header, 100, 8), 8) || 0o644,
        content: archive.subarray(offset, offset + sizeBytes),
      };
    }
    offset += Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
}

function readText(block: Buffer, start: number, length: number): string {
  const field = block.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? length : end).trim();
}
