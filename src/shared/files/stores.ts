import type { Db } from '../db/client.ts';
import { AppError } from '../errors.ts';
import type { FileStore, FileStores } from './file-store.ts';
import { createPostgresStore } from './postgres-store.ts';

export function createFileStores(db: Db): FileStores {
  const postgres = createPostgresStore(db);
  const all: FileStore[] = [postgres];
  return {
    newFiles: postgres,
    all,
    get(name) {
      const store = all.find((it) => it.name === name);
      if (store === undefined) {
        throw new AppError(
          'not_configured',
          'The file lies in an S3 store that is not configured any more. The operator must set S3_ENDPOINT and its group.',
        );
      }
      return store;
    },
  };
}
