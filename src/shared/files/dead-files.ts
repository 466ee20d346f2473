import type { Db } from '../db/client.ts';
import { deleteFileRows, listDeadFiles } from '../db/files.ts';
import type { FileStores } from './file-store.ts';

/**
 * Deletes files that nobody can ask for any more: first their bytes, so that none are left that no row names.
 * @returns how many, at most 500 of each store.
 * @throws Error where a store keeps all of them. Their rows stay, so that they are tried again, after others.
 */
export async function deleteDeadFiles(db: Db, stores: FileStores): Promise<number> {
  let count = 0;
  let kept = 0;
  for (const store of stores.all) {
    const files = await listDeadFiles(db, store.name);
    const left = new Set(await store.delete(files));
    const gone = files.map(({ id }) => id).filter((id) => !left.has(id));
    await deleteFileRows(db, gone);
    count += gone.length;
    kept += left.size;
  }
  if (kept > 0 && count === 0) throw new Error(`The store of files refuses to delete ${kept} of them`);
  return count;
}
