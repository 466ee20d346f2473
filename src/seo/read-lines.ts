import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import { SeoError } from './seo-error.ts';

const chunkBytes = 1_048_576;
/** No line of a known format comes near it. */
const maxLineBytes = 65_536;
const lineEnd = 0x0a;
const byteOrderMark = Buffer.from('\ufeff').toString('latin1');

export interface LineChunk {
  /** Whole lines. */
  text: string;
  /** Of the file, decompressed: behind the last of them. */
  endOffset: number;
  /** Of the file itself, to show how far it is. */
  bytesRead: number;
}

export interface DataFile {
  sizeBytes: number;
  /** Of its size, beginning and end. */
  hash: string;
  isGzip: boolean;
}

async function readAt(path: string, position: number, length: number): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** @throws SeoError where the file cannot be read or is packed otherwise than by gzip. */
export async function inspectFile(path: string): Promise<DataFile> {
  try {
    await using file = await open(path);
    const stat = await file.stat();
    if (!stat.isFile()) throw new SeoError(`${path} is no file.`);
    const sizeBytes = stat.size;
    const head = await readAt(path, 0, chunkBytes);
    const tail = await readAt(path, Math.max(0, sizeBytes - chunkBytes), chunkBytes);
    if (head.subarray(0, 2).toString('latin1') === 'PK')
      throw new SeoError(`${path} is a zip archive. Unpack it (\`unzip\`), and import the file in it.`);
    const hash = createHash('sha256').update(`${sizeBytes} `).update(head).update(tail).digest('hex');
    return { sizeBytes, hash, isGzip: head[0] === 0x1f && head[1] === 0x8b };
  } catch (error) {
    if (error instanceof SeoError) throw error;
    throw new SeoError(`${path} cannot be read: ${(error as Error).message}`);
  }
}

/**
 * The lines behind `offset`, in chunks of some megabyte. A packed file is unpacked from its beginning: gzip cannot be
 * entered half-way.
 * @throws SeoError where it is cut off or damaged.
 */
export async function* readLines(path: string, file: DataFile, offset: number): AsyncGenerator<LineChunk> {
  const { isGzip } = file;
  const source = createReadStream(path, { highWaterMark: chunkBytes, start: isGzip ? 0 : offset });
  const unpack = isGzip ? createGunzip({ chunkSize: chunkBytes }) : null;
  if (unpack !== null) source.on('error', (error) => unpack.destroy(error)).pipe(unpack);
  let position = isGzip ? 0 : offset;
  let rest: Buffer = Buffer.alloc(0);
  let isFirst = offset === 0;
  const textOf = (lines: Buffer): string => {
    const text = lines.toString('latin1');
    const start = isFirst && text.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
    isFirst = false;
    return text.slice(start);
  };
  try {
    for await (const chunk of (unpack ?? source) as AsyncIterable<Buffer>) {
      const skipped = Math.min(chunk.length, Math.max(0, offset - position));
      position += chunk.length;
      if (skipped === chunk.length) continue;
      const end = chunk.lastIndexOf(lineEnd);
      if (end < skipped) {
        rest = Buffer.concat([rest, chunk.subarray(skipped)]);
        if (rest.length > maxLineBytes) throw new SeoError(`${path} is no text file with a row a line.`);
        continue;
      }
      const text = textOf(Buffer.concat([rest, chunk.subarray(skipped, end)]));
      rest = Buffer.from(chunk.subarray(end + 1));
      yield { text, endOffset: position - rest.length, bytesRead: source.bytesRead + (isGzip ? 0 : offset) };
    }
  } catch (error) {
    if (error instanceof SeoError) throw error;
    throw new SeoError(`${path} is damaged or cut off: ${(error as Error).message}. Get it again.`);
  } finally {
    source.destroy();
  }
  if (rest.length > 0) yield { text: textOf(rest), endOffset: position, bytesRead: file.sizeBytes };
}
