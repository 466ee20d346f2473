import type { Db } from '../db/client.ts';
import { deleteFileRows, listDeadFiles } from '../db/files.ts';
import type { FileStore, FileStores } from './file-store.ts';

/**
 * Deletes files that nobody can ask for any more: first their bytes, so that none are left that no row names.
 * @returns how many, at most 500 of each store.
 * @throws Error where none could be deleted, and a store keeps some or is away. Their rows stay, so that they are tried
 * again, after others.
 */
export async function deleteDeadFiles(db: Db, stores: FileStores): Promise<number> {
  let count = 0;
  const failures: unknown[] = [];
  for (const store of stores.all) {
    try {
      count += await deleteOf(db, store, failures);
    } catch (error) {
      failures.push(error);
    }
  }
  if (count > 0 || failures.length === 0) return count;
  throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'No store of files deletes any');
}

/** @returns how many. */
async function deleteOf(db: Db, store: FileStore, failures: unknown[]): Promise<number> {
  const files = await listDeadFiles(db, store.name);
  const left = await store.delete(files);
  const gone = files.map(({ id }) => id).filter((id) => !left.has(id));
  await deleteFileRows(db, gone);
  if (left.size > 0) {
    const cause = [...left.values()].find((why) => why !== undefined);
    failures.push(new Error(`The store of files refuses to delete ${left.size} of them`, { cause }));
  }
  return gone.length;
}
