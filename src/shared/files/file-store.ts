/** Both inclusive, counted from 0. */
export interface ByteRange {
  start: number;
  end: number;
}

export type FileStoreName = 'postgres' | 's3';

/** A file of a job, as the job's row lists it. */
export interface JobFile {
  id: string;
  name: string;
  contentType: string;
  sizeBytes: number;
  /** Hex. */
  sha256: string;
  store: FileStoreName;
}

/** Whole or not. */
export interface WrittenFile {
  id: string;
  /** What `write` has told of it; null where it has told nothing. */
  uploadId: string | null;
}

/** A store does not answer, or says that it cannot for the moment, however often it is asked. */
export class FileStoreAway extends Error {}

/** Where the bytes of files lie. Their names, sizes and jobs are in Postgres whatever the store. */
export interface FileStore {
  readonly name: FileStoreName;
  /**
   * Keeps the bytes under the id, in bounded memory. What has failed half-way is deleted with `delete`.
   * @param content in chunks of a megabyte, the last one shorter.
   * @param onUpload told the name that the store has for the upload, before there is anything of it to delete.
   */
  write(
    id: string,
    content: AsyncIterable<Buffer>,
    onUpload: (uploadId: string) => Promise<void>,
  ): Promise<void>;
  /** @throws Error where the bytes are not there (any more), also in the middle; `FileStoreAway`. */
  read(id: string, range: ByteRange): AsyncIterable<Buffer>;
  /**
   * Also what was not written to its end, and what is not there.
   * @returns the ids of those that are there still, because the store refuses to delete them, and why where it says so.
   */
  delete(files: readonly WrittenFile[]): Promise<ReadonlyMap<string, unknown>>;
}

/** What files are written to, and where those lie that were written before. */
export interface FileStores {
  readonly newFiles: FileStore;
  readonly all: readonly FileStore[];
  /** @throws AppError `not_configured` */
  get(name: FileStoreName): FileStore;
}
