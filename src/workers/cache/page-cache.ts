import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';
import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import { writeJsonChunks } from '../../shared/json-chunks.ts';
import { findCachedCopy, keepCopy, sweepCopies } from '../../shared/db/page-cache.ts';
import { sharedForMs } from '../page/fetch/cache-control.ts';
import type { CopyKey, PageCopies, PageCopy } from '../page/page-copy.ts';

const compressApart = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** The quickest level; pages shrink to a quarter by it. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** Takes a tenth of a millisecond, less than to hand it to another thread. */
const smallBytes = 64 * 1024;
/** `maxAge` asks for no older copy. */
const maxAgeMs = 86_400_000;
/** One copy may take this share of the cache. */
const largestShare = 0.1;

export interface PageCacheOptions {
  db: Db;
  log: Logger;
  /** Bound of all copies together, compressed; 0 keeps none. */
  maxBytes: number;
  /** Whether users are answered from each other's copies, as far as RFC 9111 calls them public. */
  isShared: boolean;
  /** Between two sweeps; the bounds may be passed by what comes in this long. */
  sweepEveryMs?: number;
}

async function writeCopy(copy: PageCopy): Promise<Buffer> {
  const written = { ...copy, bytes: copy.bytes?.toString('base64') ?? null };
  const isSmall = written.text.length + (written.bytes?.length ?? 0) <= smallBytes;
  if (isSmall) return Buffer.from(JSON.stringify(written));
  const chunks: Buffer[] = [];
  for await (const chunk of writeJsonChunks(written)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function compress(written: Buffer): Promise<Buffer> {
  // Told of the size, the compressor takes memory for as much, not for a megabyte.
  const options = { ...compression, pledgedSrcSize: written.length };
  return written.length <= smallBytes
    ? zstdCompressSync(written, options)
    : await compressApart(written, options);
}

function readCopy(json: Buffer): PageCopy {
  const copy = JSON.parse(json.toString()) as Omit<PageCopy, 'bytes'> & { bytes: string | null };
  return { ...copy, bytes: copy.bytes === null ? null : Buffer.from(copy.bytes, 'base64') };
}

const ownKey = ({ userId, page }: CopyKey): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(userId), page]), 'buffer');

/**
 * The page cache that all workers share; each user has copies of their own in it. Where Postgres fails it is empty.
 */
export function createPageCache(options: PageCacheOptions): PageCopies & AsyncDisposable {
  const { db, log, maxBytes, isShared, sweepEveryMs = 30_000 } = options;
  let sweeping: Promise<void> = Promise.resolve();
  let keptSinceSweep = 0;
  const warn = (error: unknown) => log.warn({ err: error }, 'the page cache');

  function sweep(): void {
    keptSinceSweep = 0;
    sweeping = sweeping.then(() => sweepCopies(db, { maxAgeMs, maxBytes })).then(() => undefined, warn);
  }
  const timer = setInterval(sweep, sweepEveryMs);

  async function findBy(key: Buffer, copyAgeMs: number) {
    const found = await findCachedCopy(db, key, copyAgeMs);
    if (found === undefined) return null;
    return { copy: readCopy(await decompress(found.copy)), ageMs: found.ageMs };
  }

  async function findPublic({ page }: CopyKey, copyAgeMs: number) {
    const found = isShared ? await findBy(page, copyAgeMs) : null;
    return found !== null && found.ageMs < (sharedForMs(found.copy) ?? 0) ? found : null;
  }

  return {
    async find(key, copyAgeMs) {
      try {
        return (await findBy(ownKey(key), copyAgeMs)) ?? (await findPublic(key, copyAgeMs));
      } catch (error) {
        warn(error);
        return null;
      }
    },
    async keep(key, copy) {
      try {
        const packed = await compress(await writeCopy(copy));
        if (packed.length > maxBytes * largestShare) return;
        const isPublic = isShared && sharedForMs(copy) !== null;
        await keepCopy(db, isPublic ? key.page : ownKey(key), packed);
        keptSinceSweep += packed.length;
        if (keptSinceSweep > maxBytes * largestShare) sweep();
      } catch (error) {
        warn(error);
      }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await sweeping;
    },
  };
}
