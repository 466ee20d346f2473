import { setTimeout as sleep } from 'node:timers/promises';
import { S3mini, S3ServiceError, type UploadPart } from 's3mini';
import type { EgressDoor, EgressLease } from '../egress/types.ts';
import { EgressError } from '../egress/egress-error.ts';
import { createFetch } from '../egress/fetch.ts';
import type { ProviderSettings } from '../provider-settings.ts';
import { type FileStore, FileStoreAway, type WrittenFile } from './file-store.ts';
import { freeBuffersBehind } from './free-buffers.ts';
import { inChunks } from './chunks.ts';

type S3Settings = NonNullable<ProviderSettings['s3']>;

/** Of an upload, at most 10,000 and none but the last smaller: S3's bounds, which make 50 GB of it. */
const partBytes = 5 * 1024 * 1024;

/** Asked for at once: a reader holds a few of it, as the runtime gives up its memory late. */
const readBytes = 2 * 1024 * 1024;

/** Of one part, which a server that is there takes and gives in less. */
const answersWithinMs = 60_000;

const attempts = 4;

/** Uploads that a server may fail to end, however often it is asked: one that fails for more of them is away. */
const mostFailures = 3;
const backoffMs = (failures: number) => 100 * 2 ** failures;

/** By the door: the operator has not allowed it. */
function isRefused(error: unknown): boolean {
  if (error instanceof EgressError) return error.result === 'refused';
  return error instanceof Error && isRefused(error.cause);
}

/** Where asking again can help: no answer, or one that says so. */
function isTransient(error: unknown): boolean {
  if (error instanceof S3ServiceError) return error.status >= 500 || error.status === 429;
  return !isRefused(error);
}

async function insist<T>(attempt: () => Promise<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await attempt();
    } catch (error) {
      if (failures + 1 >= attempts || !isTransient(error)) throw error;
      await sleep(backoffMs(failures));
    }
  }
}

/**
 * Files as objects of a bucket, named by their ids, of the operator's own server: each write, read and deletion has a
 * lease that reaches no other host. The bucket is addressed by path, and redirects are not followed.
 */
export function createS3Store(settings: S3Settings, egress: Pick<EgressDoor, 'openLease'>): FileStore {
  const { endpoint, bucket, ...rest } = settings;
  const bucketUrl = `${endpoint.href.replace(/\/+$/, '')}/${bucket}`;

  /** The files are as large as they are: what bounds them is who writes them. */
  const openLease = () => egress.openLease({ hosts: [endpoint.host], byteBudget: Number.MAX_SAFE_INTEGER });
  const createClient = (lease: EgressLease) =>
    new S3mini({
      ...rest,
      endpoint: bucketUrl,
      requestAbortTimeout: answersWithinMs,
      fetch: createFetch(lease, { timeoutMs: answersWithinMs }),
    });

  async function uploadParts(
    s3: S3mini,
    id: string,
    uploadId: string,
    first: Buffer,
    content: AsyncIterable<Buffer>,
  ): Promise<void> {
    const parts: UploadPart[] = [];
    const upload = async (part: Buffer): Promise<void> => {
      const number = parts.length + 1;
      parts.push(await insist(() => s3.uploadPart(id, uploadId, part, number)));
      freeBuffersBehind(part.length);
    };
    await upload(first);
    for await (const part of content) await upload(part);
    await insist(async () => {
      const answer = await s3.completeMultipartUpload(id, uploadId, parts);
      // S3 answers 200 before it puts the parts together, and what goes wrong then stands in the body.
      if ('Error' in answer) throw new Error(`S3 did not complete the upload: ${JSON.stringify(answer)}`);
    });
  }

  /** None where the object is not there, or ends before. @throws FileStoreAway */
  async function readPart(s3: S3mini, id: string, start: number, end: number): Promise<Buffer> {
    const reading = insist(async () => {
      const response = await s3.getObjectRaw(id, false, start, end + 1);
      return Buffer.from(await response.arrayBuffer());
    });
    return await reading.catch((error: unknown) => {
      throw isTransient(error) ? new FileStoreAway('S3 gives no file', { cause: error }) : error;
    });
  }

  /** @returns those that the server refuses to end, and why. @throws Error where it fails for several, or is away. */
  async function endUploads(s3: S3mini, files: readonly WrittenFile[]): Promise<Map<string, unknown>> {
    const refused = new Map<string, unknown>();
    let failures = 0;
    for (const { id, uploadId } of files) {
      if (uploadId === null) continue;
      try {
        await insist(() => s3.abortMultipartUpload(id, uploadId));
      } catch (error) {
        if (!(error instanceof S3ServiceError)) throw error;
        if (isTransient(error) && ++failures > mostFailures) throw error;
        // Else completed, or ended before.
        if (error.status !== 404) refused.set(id, error);
      }
    }
    return refused;
  }

  return {
    name: 's3',
    async write(id, content, onUpload) {
      await using lease = openLease();
      const s3 = createClient(lease);
      await using parts = inChunks(content, partBytes);
      const first = (await parts.next()).value ?? Buffer.alloc(0);
      const second = first.length < partBytes ? undefined : (await parts.next()).value;
      if (second === undefined) {
        await insist(() => s3.putObject(id, first));
        return;
      }
      const uploadId = await insist(() => s3.getMultipartUploadId(id));
      await onUpload(uploadId);
      await uploadParts(
        s3,
        id,
        uploadId,
        first,
        (async function* () {
          yield second;
          yield* parts;
        })(),
      );
    },
    async *read(id, { start, end }) {
      await using lease = openLease();
      const s3 = createClient(lease);
      for (let position = start; position <= end;) {
        const wanted = Math.min(readBytes, end + 1 - position);
        const part = await readPart(s3, id, position, position + wanted - 1);
        if (part.length !== wanted) throw new Error(`File ${id} lacks bytes from ${position} on`);
        position += wanted;
        freeBuffersBehind(wanted);
        yield part;
      }
    },
    async delete(files) {
      if (files.length === 0) return new Map();
      await using lease = openLease();
      const s3 = createClient(lease);
      const left = await endUploads(s3, files);
      const ids = files.map(({ id }) => id).filter((id) => !left.has(id));
      if (ids.length === 0) return left;
      const areDeleted = await insist(() => s3.deleteObjects(ids));
      for (const id of ids.filter((_id, index) => areDeleted[index] !== true)) {
        // A server may say the same of what was not there.
        if (await insist(() => s3.objectExists(id))) left.set(id, undefined);
      }
      return left;
    },
  };
}
