import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { S3mini } from 's3mini';
import S3rver from 's3rver';
import { findSignature } from './s3-signature.ts';

const bucket = 'quarry-files';
const accessKeyId = 'S3RVER';
const secret = 'S3RVER';

interface S3Environment {
  S3_ENDPOINT: string;
  S3_BUCKET: string;
  S3_REGION: string;
  S3_ACCESS_KEY_ID: string;
  S3_SECRET_ACCESS_KEY: string;
}

export interface S3Server extends AsyncDisposable {
  /** The settings of a service that keeps its files here. */
  env: S3Environment & Record<string, string>;
  /**
   * From now on the deletion of these objects is refused, in an answer 200, and the abort of uploads of these keys, in a
   * 403; of no others.
   */
  hold(keys: readonly string[]): Promise<void>;
  /** Of each object in the bucket a text with its key, of each upload that was never completed one with its id. */
  listStored(): Promise<string[]>;
}

/** The server that TEST_S3_ENDPOINT names; where it names none, one on loopback that does what a real one does. */
export async function startS3Server(): Promise<S3Server> {
  const endpoint = process.env['TEST_S3_ENDPOINT'];
  return await (endpoint === undefined ? startS3rver() : useRealServer(endpoint.replace(/\/+$/, '')));
}

/** A single element comes without an array around it. */
function toArray<T>(elements: T | T[] | undefined): T[] {
  return elements === undefined ? [] : ([elements].flat() as T[]);
}

/** In a bucket of its own, which is deleted with all that it holds. */
async function useRealServer(endpoint: string): Promise<S3Server> {
  const env = {
    S3_ENDPOINT: endpoint,
    S3_BUCKET: `quarry-test-${randomUUID()}`,
    S3_REGION: process.env['TEST_S3_REGION'] ?? 'us-east-1',
    S3_ACCESS_KEY_ID: process.env['TEST_S3_ACCESS_KEY_ID'] ?? '',
    S3_SECRET_ACCESS_KEY: process.env['TEST_S3_SECRET_ACCESS_KEY'] ?? '',
  };
  const key = {
    region: env.S3_REGION,
    accessKeyId: env.S3_ACCESS_KEY_ID,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY,
  };
  const objects = new S3mini({ ...key, endpoint: `${endpoint}/${env.S3_BUCKET}` });
  // To which a bucket is what an object is to its bucket. S3mini's own createBucket sends a LocationConstraint, which Ceph
  // refuses.
  const buckets = new S3mini({ ...key, endpoint });
  const listKeys = async () => ((await objects.listObjects()) ?? []).map(({ Key }) => Key);
  async function listUploads(): Promise<{ Key: string; UploadId: string }[]> {
    type Answer = { ListMultipartUploadsResult: { Upload?: { Key: string; UploadId: string }[] } };
    const answer = (await objects.listMultipartUploads()) as unknown as Answer;
    return toArray(answer.ListMultipartUploadsResult.Upload);
  }
  let isHolding = false;
  async function hold(keys: readonly string[]): Promise<void> {
    // A policy must name something: the last name is of no object.
    const held = [...keys, ''].map((name) => `arn:aws:s3:::${env.S3_BUCKET}/${name}`);
    const Action = ['s3:DeleteObject', 's3:AbortMultipartUpload'];
    const Statement = [{ Effect: 'Deny', Principal: '*', Action, Resource: held }];
    const url = await buckets.getPresignedUrl('PUT', env.S3_BUCKET, 60, { policy: '' });
    const body = JSON.stringify({ Version: '2012-10-17', Statement });
    const answer = await fetch(url, { method: 'PUT', body });
    if (!answer.ok) throw new Error(`The policy is refused: ${await answer.text()}`);
    isHolding = keys.length > 0;
  }
  await buckets.putObject(env.S3_BUCKET, '');
  return {
    env,
    hold,
    async listStored() {
      const uploads = (await listUploads()).map(({ Key, UploadId }) => `${Key}/${UploadId}`);
      return [...(await listKeys()), ...uploads];
    },
    async [Symbol.asyncDispose]() {
      // Not every server takes policies.
      if (isHolding) await hold([]);
      for (const { Key, UploadId } of await listUploads()) await objects.abortMultipartUpload(Key, UploadId);
      await objects.deleteObjects(await listKeys());
      await buckets.deleteObject(env.S3_BUCKET);
    },
  };
}

/** s3rver, which alone does not check signatures. */
async function startS3rver(): Promise<S3Server> {
  const directory = await mkdtemp(join(tmpdir(), 'quarry-s3-'));
  const s3 = new S3rver({ directory, silent: true, configureBuckets: [{ name: bucket, configs: [] }] });
  await s3.configureBuckets();
  const answer = s3.callback();
  const held = new Set<string>();
  /** AbortMultipartUpload, which s3rver has not. */
  async function abortUpload(uploadId: string): Promise<void> {
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
    else void abortUpload(uploadId).then(() => response.writeHead(204).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    env: {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_BUCKET: bucket,
      S3_REGION: 'us-east-1',
      S3_ACCESS_KEY_ID: accessKeyId,
      S3_SECRET_ACCESS_KEY: secret,
    },
    async hold(keys) {
      held.clear();
      for (const key of keys) held.add(key);
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
