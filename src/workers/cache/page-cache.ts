import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import { findCachedCopy, keepCopy, sweepCopies } from '../../shared/db/page-cache.ts';
import type { PageCopies, PageCopy } from '../page/page-copy.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);
/** The quickest level; pages shrink to a quarter by it. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
/** `maxAge` asks for no older copy. */
const maxAgeMs = 86_400_000;
/** One copy may take this share of the cache. */
const largestShare = 0.1;

export interface PageCacheOptions {
  db: Db;
  log: Logger;
  /** Bound of all copies together, compressed; 0 keeps none. */
  maxBytes: number;
  /** Between two sweeps; the bounds may be passed by what comes in this long. */
  sweepEveryMs?: number;
}

function writeCopy(copy: PageCopy): Buffer {
  return Buffer.from(JSON.stringify({ ...copy, bytes: copy.bytes?.toString('base64') ?? null }));
}

function readCopy(json: Buffer): PageCopy {
  const copy = JSON.parse(json.toString()) as Omit<PageCopy, 'bytes'> & { bytes: string | null };
  return { ...copy, bytes: copy.bytes === null ? null : Buffer.from(copy.bytes, 'base64') };
}

/** The page cache that all workers share. Where Postgres fails it is empty. */
export function createPageCache(options: PageCacheOptions): PageCopies & AsyncDisposable {
  const { db, log, maxBytes, sweepEveryMs = 30_000 } = options;
  let sweeping: Promise<void> = Promise.resolve();
  let keptSinceSweep = 0;
  const warn = (error: unknown) => log.warn({ err: error }, 'the page cache');

  function sweep(): void {
    keptSinceSweep = 0;
    sweeping = sweeping.then(() => sweepCopies(db, { maxAgeMs, maxBytes })).then(() => undefined, warn);
  }
  const timer = setInterval(sweep, sweepEveryMs);

  return {
    async find(key, copyAgeMs) {
      try {
        const found = await findCachedCopy(db, key, copyAgeMs);
        if (found === undefined) return null;
        const json = await decompress(found.copy);
        return { copy: readCopy(json), ageMs: found.ageMs };
      } catch (error) {
        warn(error);
        return null;
      }
    },
    async keep(key, copy) {
      try {
        const packed = await compress(writeCopy(copy), compression);
        if (packed.length > maxBytes * largestShare) return;
        await keepCopy(db, key, packed);
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
