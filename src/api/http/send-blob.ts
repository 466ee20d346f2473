import parseRange from 'range-parser';
import type { Blob } from '../../shared/blobs/blob.ts';
import type { ApiContext } from './context.ts';

/** RFC 9110, 13.1.2: weak comparison. `Cache-Control: no-cache` of a request is for caches, not for us. */
export function isKnown(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === `"${etag}"`);
}

/** Answers bytes with ETag, conditional and single-range requests (RFC 9110), safe to open in a browser. */
export function sendBlob(
  ctx: ApiContext,
  blob: Pick<Blob, 'contentType' | 'bytes'> & { etag: string },
): void {
  const { bytes, contentType, etag } = blob;
  ctx.set({
    ETag: `"${etag}"`,
    'Accept-Ranges': 'bytes',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
    'Cross-Origin-Resource-Policy': 'cross-origin',
  });
  ctx.status = 200;
  const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
  // What a POST has made is always sent.
  if (isRead && isKnown(ctx.get('If-None-Match'), etag)) {
    ctx.status = 304;
    return;
  }
  const ifRange = ctx.get('If-Range');
  const rangeHolds = ctx.method === 'GET' && (ifRange === '' || ifRange === `"${etag}"`);
  const ranges = rangeHolds && ctx.get('Range') !== '' ? parseRange(bytes.length, ctx.get('Range')) : -2;
  if (ranges === -1) {
    ctx.status = 416;
    ctx.set('Content-Range', `bytes */${bytes.length}`);
    ctx.body = Buffer.alloc(0);
    ctx.remove('Content-Type');
    return;
  }
  ctx.type = contentType;
  const [range, ...more] = ranges === -2 || ranges.type !== 'bytes' ? [] : ranges;
  if (range === undefined || more.length > 0) {
    ctx.body = bytes;
    return;
  }
  ctx.status = 206;
  ctx.set('Content-Range', `bytes ${range.start}-${range.end}/${bytes.length}`);
  ctx.body = bytes.subarray(range.start, range.end + 1);
}
