import { Readable } from 'node:stream';
import type { ByteRange } from '../../shared/files/file-store.ts';
import type { ApiContext } from './context.ts';

export interface SentFile {
  contentType: string;
  sizeBytes: number;
  /** Without its quotes. */
  etag: string;
  read(range: ByteRange): AsyncIterable<Buffer>;
}

/** Lets what is opened in a browser run nothing, and reach nothing. */
export const sandbox = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

/** RFC 9110, 13.1.2: weak comparison. `Cache-Control: no-cache` of a request is for caches, not for us. */
export function isKnown(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`);
}

/**
 * What is asked of it: a single range, all of it, or nothing that it has. RFC 9110, 14.2: units that are not known,
 * ranges that are none and sets of several are passed over.
 */
function rangeOf(ctx: ApiContext, { sizeBytes, etag }: SentFile): ByteRange | 'all' | 'unsatisfiable' {
  const ifRange = ctx.get('If-Range');
  const rangeHolds = ctx.method === 'GET' && (ifRange === '' || ifRange === `"${etag}"`);
  const asked = rangeHolds && /^bytes=\s*(?:(\d+)-(\d*)|-(\d+))\s*$/i.exec(ctx.get('Range'));
  if (!asked) return 'all';
  const [, first, last, suffix] = asked;
  const start = first === undefined ? Math.max(0, sizeBytes - Number(suffix)) : Number(first);
  if (last && Number(last) < start) return 'all';
  const end = Math.min(sizeBytes - 1, last ? Number(last) : Infinity);
  return start > end ? 'unsatisfiable' : { start, end };
}

/** Begun before the answer is, so that bytes that are not there are a problem, not half an answer. */
async function openBody(chunks: AsyncIterable<Buffer>, length: number): Promise<Buffer | Readable> {
  const parts = chunks[Symbol.asyncIterator]();
  const first = await parts.next();
  if (first.done) throw new Error('What has bytes has given none');
  const leave = async (): Promise<IteratorResult<Buffer>> => {
    await parts.return?.();
    return { done: true, value: undefined };
  };
  if (first.value.length >= length) {
    await leave();
    return first.value;
  }
  let isFirst = true;
  async function next(): Promise<IteratorResult<Buffer>> {
    if (!isFirst) return await parts.next();
    isFirst = false;
    return first;
  }
  // One that counts objects would gather sixteen chunks. Left unread it is told so, which a generator would not be.
  return Readable.from({ [Symbol.asyncIterator]: () => ({ next, return: leave }) }, { objectMode: false });
}

/** Answers `length` bytes as they come, no faster than the client reads them. */
export async function sendPieces(
  ctx: ApiContext,
  chunks: AsyncIterable<Buffer>,
  length: number,
): Promise<void> {
  if (ctx.method !== 'HEAD') {
    const body = length === 0 ? Buffer.alloc(0) : await openBody(chunks, length);
    // A client takes what ends early without its length for a broken answer, which this is.
    if (body instanceof Readable) body.once('error', () => ctx.res.destroy());
    ctx.body = body;
  }
  ctx.length = length;
}

/**
 * Streams bytes with ETag, conditional and single-range requests (RFC 9110), safe to open in a browser. Reads no
 * faster than the client, and no further than until it is gone.
 */
export async function sendFile(ctx: ApiContext, file: SentFile): Promise<void> {
  ctx.set({
    ETag: `"${file.etag}"`,
    'Accept-Ranges': 'bytes',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': sandbox,
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  // What a POST has made is always sent.
  if (isRead && isKnown(ctx.get('If-None-Match'), file.etag)) {
    ctx.status = 304;
    return;
  }
  const range = rangeOf(ctx, file);
  if (range === 'unsatisfiable') {
    ctx.status = 416;
    ctx.set('Content-Range', `bytes */${file.sizeBytes}`);
    ctx.body = Buffer.alloc(0);
    ctx.remove('Content-Type');
    return;
  }
  ctx.type = file.contentType;
  if (range === 'all') {
    ctx.status = 200;
    await sendPieces(ctx, file.read({ start: 0, end: file.sizeBytes - 1 }), file.sizeBytes);
    return;
  }
  ctx.status = 206;
  ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`);
  await sendPieces(ctx, file.read(range), range.end - range.start + 1);
}
