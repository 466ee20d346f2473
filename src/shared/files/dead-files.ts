import type { Db } from '../db/client.ts';
import { deleteFileRows, listDeadFiles } from '../db/files.ts';
import type { FileStores } from './file-store.ts';

/**
 * Deletes files that nobody can ask for any more: first their bytes, so that none are left that no row names.
 * @returns how many, at most 500 of each store.
 */
export async function deleteDeadFiles(db: Db, stores: FileStores): Promise<number> {
  let count = 0;
  for (const store of stores.all) {
    const files = await listDeadFiles(db, store.name);
    await store.delete(files);
    await deleteFileRows(
      db,
      files.map(({ id }) => id),
    );
    count += files.length;
  }
  return count;
}
