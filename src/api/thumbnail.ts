import { hash } from 'node:crypto';
import sharp from 'sharp';
import type { Db } from '../shared/db/client.ts';
import { findThumbnail, insertThumbnail, type OwnedFile } from '../shared/db/files.ts';
import { AppError } from '../shared/errors.ts';
import type { FileStores, JobFile } from '../shared/files/file-store.ts';
import { gather } from '../shared/files/chunks.ts';
import { createId } from '../shared/ids.ts';
import { createLimit } from '../shared/limit.ts';

const width = 320;
const height = 240;
/** Each holds its file in memory, and takes some 30 MB to be scaled. */
const madeAtOnce = 2;
/** Of one user's. */
const mostWaiting = 50;

/**
 * A WebP of at most 320 × 240 pixels: the top of the picture, at its full width. Made when it is asked for first:
 * most are never looked at, and a worker has better things to do. Runs off the event loop.
 *
 * A WebP is scaled while it is decoded where scaling is the first that is asked of it, else it is decoded whole (256 MB
 * for 4000 × 16,000). Of the others only the rows that are cut out are decoded.
 */
export async function makeThumbnail(image: Buffer): Promise<Buffer> {
  const options = { limitInputPixels: 250_000_000, sequentialRead: true };
  const source = await sharp(image, options).metadata();
  const rowsOf = (columns: number) => Math.max(1, Math.round((columns * height) / width));
  const resize = { width, withoutEnlargement: true };
  if (source.format !== 'webp') {
    const top = {
      left: 0,
      top: 0,
      width: source.width,
      height: Math.min(source.height, rowsOf(source.width)),
    };
    return await sharp(image, options).extract(top).resize(resize).webp({ quality: 75 }).toBuffer();
  }
  const columns = Math.min(width, source.width);
  const top = { left: 0, top: 0, width: columns, height: rowsOf(columns) };
  const scaled = sharp(image, options).resize(resize);
  const isHigher = Math.round((source.height * columns) / source.width) > top.height;
  return await (isHigher ? scaled.extract(top) : scaled).webp({ quality: 75 }).toBuffer();
}

/** @returns undefined where the picture's job was deleted meanwhile. */
export type Thumbnails = (of: OwnedFile) => Promise<JobFile | undefined>;

/** Thumbnails of pictures, each made once and kept with its job; users take turns. */
export function createThumbnails({ db, files }: { db: Db; files: FileStores }): Thumbnails {
  const underWay = new Map<string, ReturnType<Thumbnails>>();
  const slots = createLimit(madeAtOnce);

  async function make(of: OwnedFile): Promise<Buffer> {
    return await slots.run(of.userId, async () => {
      const picture = await gather(files.get(of.store).read(of.id, { start: 0, end: of.sizeBytes - 1 }));
      return await makeThumbnail(picture);
    });
  }

  async function findOrMake(of: OwnedFile): Promise<JobFile | undefined> {
    const kept = await findThumbnail(db, of);
    if (kept !== undefined) return kept;
    if (slots.waitingOf(of.userId) >= mostWaiting) {
      throw new AppError(
        'overloaded',
        'Too many thumbnails are being made. Ask for this one again in a moment.',
      );
    }
    const bytes = await make(of);
    await insertThumbnail(
      db,
      of,
      { id: createId(), contentType: 'image/webp', sha256: hash('sha256', bytes) },
      bytes,
    );
    return await findThumbnail(db, of);
  }

  return (of) => {
    const making = underWay.get(of.id) ?? findOrMake(of).finally(() => underWay.delete(of.id));
    underWay.set(of.id, making);
    return making;
  };
}
