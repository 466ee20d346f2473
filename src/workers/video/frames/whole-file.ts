import { createWriteStream } from 'node:fs';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { AppError } from '../../../shared/errors.ts';
import type { EgressLease } from '../../../shared/egress/types.ts';
import { findAccountFor } from '../../processes/account.ts';
import type { Reaper } from '../../processes/reaper.ts';

/** Of four jobs side by side no more than a gigabyte of disk. */
const maxFileBytes = 256 * 1024 * 1024;
const headersMs = 30_000;

/** A media file that was fetched as a whole, where a part of it tells nothing. */
export interface WholeFile extends AsyncDisposable {
  /** Null until it is there. */
  readonly path: string | null;
  /**
   * Fetches it once for all who ask.
   * @returns false where the server answers requests for parts, so that the whole tells no more.
   * @throws AppError `target_too_large`, and as `lease.stream`.
   */
  fetch(): Promise<boolean>;
}

export interface WholeFileRequest {
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Path of the program that reads it, which may run as an account of its own. */
  program: string;
  lease: EgressLease;
  reaper: Reaper;
  signal: AbortSignal;
}

function tooLarge(): AppError {
  return new AppError(
    'target_too_large',
    `The index of the file stands at its end, the server does not answer requests for parts of it, and the whole has more than the ${maxFileBytes} bytes that are fetched for a frame.`,
  );
}

export function createWholeFile(request: WholeFileRequest): WholeFile {
  const { url, headers, program, lease, reaper, signal } = request;
  let folder: string | null = null;
  let path: string | null = null;
  let fetching: Promise<boolean> | undefined;

  async function fetchIt(): Promise<boolean> {
    const response = await lease.stream({
      url,
      originHeaders: headers,
      headers: { range: 'bytes=0-', 'accept-encoding': 'identity' },
      timeoutMs: headersMs,
      maxBodyBytes: maxFileBytes,
      signal,
    });
    const isWhole = response.status === 200;
    const isTooLarge = Number(response.headers['content-length'] ?? 0) > maxFileBytes;
    if (!isWhole || isTooLarge) {
      response.body.destroy();
      if (isWhole) throw tooLarge();
      return false;
    }
    folder = await mkdtemp(join(tmpdir(), 'quarry-media-'));
    reaper.watch(folder);
    const file = join(folder, 'media.mp4');
    await pipeline(response.body, createWriteStream(file), { signal }).catch((error: unknown) => {
      throw error instanceof AppError && error.code === 'target_too_large' ? tooLarge() : error;
    });
    const account = findAccountFor(program);
    if (account) for (const place of [file, folder]) await chown(place, account.uid, account.gid);
    path = file;
    return true;
  }

  return {
    get path() {
      return path;
    },
    fetch: () => (fetching ??= fetchIt()),
    async [Symbol.asyncDispose]() {
      await fetching?.catch(() => undefined);
      if (folder !== null) await reaper.discard(folder);
    },
  };
}
