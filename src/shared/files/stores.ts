import type { Db } from '../db/client.ts';
import type { EgressDoor } from '../egress/types.ts';
import { AppError } from '../errors.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import type { FileStore, FileStores } from './file-store.ts';
import { createPostgresStore } from './postgres-store.ts';
import { createS3Store } from './s3-store.ts';

export interface FileStoresOptions {
  db: Db;
  /** Null where none is configured: then new files are written to Postgres. */
  s3: ProviderSettings['s3'];
  egress: Pick<EgressDoor, 'openLease'>;
}

export function createFileStores({ db, s3, egress }: FileStoresOptions): FileStores {
  const postgres = createPostgresStore(db);
  const all: FileStore[] = s3 === null ? [postgres] : [createS3Store(s3, egress), postgres];
  return {
    newFiles: all[0] ?? postgres,
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
