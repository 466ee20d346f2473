import { hash } from 'node:crypto';
import { createId } from '../ids.ts';

/** Bytes kept by id: a result as JSON, or an image. */
export interface Blob {
  id: string;
  contentType: string;
  bytes: Buffer;
  sha256: Buffer;
}

export function createBlob(
  contentType: string,
  bytes: Buffer,
  sha256 = hash('sha256', bytes, 'buffer'),
): Blob {
  return { id: createId(), contentType, bytes, sha256 };
}
