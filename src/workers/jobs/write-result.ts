import { createHash } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import { type Blob, createBlob } from '../../shared/blobs/blob.ts';
import { writeJsonChunks } from '../../shared/json-chunks.ts';
import { isExhaustion } from '../../shared/tasks/exhaustion.ts';

/** Bytes of one result: it goes through Postgres, and in one piece to its reader. */
const usualBound = 128 * 1024 * 1024;

/** To a tenth, for those who read it. */
export const inMegabytes = (bytes: number): number => Math.round((bytes / 1024 ** 2) * 10) / 10;

function tooLarge(bound: number): AppError {
  const detail = `The result is larger than ${inMegabytes(bound)} MB. Ask for less at once.`;
  return new AppError('target_too_large', detail, { isFinal: true });
}

/** As JSON; other jobs go on while a large one is written. @throws AppError `target_too_large` */
export async function writeResult(output: unknown, bound = usualBound): Promise<Blob> {
  const chunks: Buffer[] = [];
  const sha256 = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of writeJsonChunks(output)) {
      sha256.update(chunk);
      chunks.push(chunk);
      size += chunk.length;
      if (size > bound) throw tooLarge(bound);
    }
  } catch (error) {
    // There is no text that could hold a part of it.
    throw isExhaustion(error) ? tooLarge(bound) : error;
  }
  const [only] = chunks;
  const bytes = only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks);
  return createBlob('application/json', bytes, sha256.digest());
}
