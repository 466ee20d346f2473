import { createHash } from 'node:crypto';
import type { Db } from '../../shared/db/client.ts';
import { completeFile, insertUnwrittenFile, saveUploadId } from '../../shared/db/files.ts';
import type { Lease } from '../../shared/jobs/transitions/lease.ts';
import type { ByteRange, FileStores, JobFile } from '../../shared/files/file-store.ts';
import { inChunks } from '../../shared/files/chunks.ts';
import { chunkBytes } from '../../shared/files/postgres-store.ts';
import { createId } from '../../shared/ids.ts';
import { LeaseLost } from './composition.ts';
import type { JobContext } from '../handler.ts';
import type { RetryWhileDatabaseAway } from './retry-while-database-away.ts';

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const contentTypePattern = /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/;
/** They are listed in the job's row, which is written anew with each. */
const filesAtMost = 1_000;

async function takeFirst<Item>(items: AsyncIterator<Item>, count: number): Promise<Item[]> {
  const taken: Item[] = [];
  while (taken.length < count) {
    const next = await items.next();
    if (next.done) break;
    taken.push(next.value);
  }
  return taken;
}

async function* startingWith<Item>(
  first: readonly Item[],
  rest: AsyncIterable<Item>,
): AsyncGenerator<Item, void, undefined> {
  yield* first;
  yield* rest;
}

interface JobFilesOptions {
  db: Db;
  stores: FileStores;
  lease: Lease;
  /** Those that earlier runs have left. */
  earlier: readonly JobFile[];
  signal: AbortSignal;
  retryWhileDatabaseAway: RetryWhileDatabaseAway;
}

interface RunFiles extends Pick<JobContext, 'files'> {
  /** All that the job has by now. */
  list(): JobFile[];
}

/** The files of one run of a job. */
export function createJobFiles(options: JobFilesOptions): RunFiles {
  const { db, stores, lease, earlier, signal, retryWhileDatabaseAway } = options;
  const byName = new Map(earlier.map((file) => [file.name, file]));
  let completing: Promise<unknown> = Promise.resolve();

  /** One after the other, so that what is known here is in the order of what is stored. */
  async function complete(file: JobFile, bytes: Buffer | null): Promise<void> {
    const isComplete = completing.then(() =>
      retryWhileDatabaseAway(() => completeFile(db, lease, file, bytes)),
    );
    completing = isComplete.catch(() => undefined);
    if (!(await isComplete)) throw new LeaseLost();
    byName.set(file.name, file);
  }

  async function write(
    name: string,
    contentType: string,
    content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<JobFile> {
    if (!namePattern.test(name)) throw new Error(`${name} cannot be the name of a file`);
    if (!contentTypePattern.test(contentType)) throw new Error(`${name} cannot be of type ${contentType}`);
    if (byName.size >= filesAtMost && !byName.has(name))
      throw new Error(`A job has ${filesAtMost} files at most`);
    const store = stores.newFiles;
    const file = { id: createId(), name, contentType, store: store.name };
    const hash = createHash('sha256');
    let sizeBytes = 0;
    async function* counted(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of chunks) {
        signal.throwIfAborted();
        hash.update(chunk);
        sizeBytes += chunk.length;
        yield chunk;
      }
    }
    const written = () => ({ ...file, sizeBytes, sha256: hash.digest('hex') });

    await using chunks = counted(inChunks(content, chunkBytes));
    const begin = await takeFirst(chunks, 2);
    if (begin.length < 2 && store.name === 'postgres') {
      const whole = written();
      await complete(whole, begin[0] ?? Buffer.alloc(0));
      return whole;
    }
    if (!(await retryWhileDatabaseAway(() => insertUnwrittenFile(db, lease, file)))) throw new LeaseLost();
    await store.write(file.id, startingWith(begin, chunks), (uploadId) =>
      retryWhileDatabaseAway(() => saveUploadId(db, file.id, uploadId)),
    );
    const whole = written();
    await complete(whole, null);
    return whole;
  }

  function get(name: string): JobFile {
    const file = byName.get(name);
    if (file === undefined) throw new Error(`The job has no file ${name}`);
    return file;
  }

  return {
    list: () => [...byName.values()],
    files: {
      async write(name, contentType, content) {
        const isWhole = content instanceof Uint8Array;
        const {
          id: _id,
          store: _store,
          ...file
        } = await write(name, contentType, isWhole ? [content] : content);
        return file;
      },
      read(name, range: ByteRange = { start: 0, end: Infinity }) {
        const { id, sizeBytes, store } = get(name);
        return stores.get(store).read(id, { start: range.start, end: Math.min(range.end, sizeBytes - 1) });
      },
    },
  };
}
