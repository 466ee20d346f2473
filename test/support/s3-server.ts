import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import S3rver from 's3rver';
import { findSignature } from './s3-signature.ts';

const bucket = 'quarry-files';
const accessKeyId = 'S3RVER';
const secret = 'S3RVER';

export interface S3Server extends AsyncDisposable {
  /** The settings of a service that keeps its files here. */
  env: Record<string, string>;
  /** Method and path with query of each request so far. */
  requests: string[];
  /** Keys of objects whose deletion is refused, in an answer 200; of uploads whose end is refused, in a 403. */
  held: Set<string>;
  /** Keys of the objects in the bucket, and what was uploaded in parts that were never put together. */
  listStored(): Promise<string[]>;
}

/** An S3-compatible server on loopback that checks signatures, which s3rver alone does not. */
export async function startS3Server(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'quarry-s3-'));
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: bucket, configs: [] }] });
  await s3.configureBuckets();
  const answer = s3.callback();
  const requests: string[] = [];
  const held = new Set<string>();
  /** AbortMultipartUpload, which s3rver has not. */
  async function endUpload(uploadId: string): Promise<void> {
    const paths = await readdir(directory, { recursive: true });
    const folder = paths.find((path) => path.endsWith(uploadId));
    if (folder !== undefined) await rm(join(directory, folder), { recursive: true });
  }
  /** DeleteObjects as of a store that holds some back. Says nothing of what is not there. */
  async function deleteOthers(request: IncomingMessage): Promise<string> {
    const keys = [...(await text(request)).matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key);
    const stored = await readdir(join(directory, bucket));
    const results = keys.map(async (key) => {
      if (held.has(key)) return `<Error><Key>${key}</Key><Code>AccessDenied</Code></Error>`;
      const paths = stored.filter((path) => path.startsWith(key));
      for (const path of paths) await rm(join(directory, bucket, path), { recursive: true });
      return paths.length === 0 ? '' : `<Deleted><Key>${key}</Key></Deleted>`;
    });
    return `<DeleteResult>${(await Promise.all(results)).join('')}</DeleteResult>`;
  }
  const server = createServer((request, response) => {
    const { method = '', url = '' } = request;
    requests.push(`${method} ${url}`);
    const headers = request.headers as Record<string, string>;
    const signature = findSignature({ method, url, headers }, secret);
    if (signature?.keyId !== accessKeyId || signature.given !== signature.expected) {
      request.resume();
      response.writeHead(403, { 'Content-Type': 'application/xml' });
      response.end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
      return;
    }
    if (held.size > 0 && method === 'POST' && url.includes('?delete')) {
      void deleteOthers(request).then((result) => response.writeHead(200).end(result));
      return;
    }
    const uploadId = method === 'DELETE' ? new URLSearchParams(url.split('?')[1]).get('uploadId') : null;
    if (uploadId === null) void answer(request, response);
    else if (held.has(url.split(/[/?]/)[2] ?? ''))
      response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
    else void endUpload(uploadId).then(() => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    held,
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: bucket,
      S3_REGION: 'us-east-1',
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secret,
    },
    async listStored() {
      const entries = await readdir(join(directory, bucket), { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
