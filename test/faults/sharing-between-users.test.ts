import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';
import { createTestKey, type Service, startService } from '../support/service.ts';

/** Two users who read the same pages at the same time. */

const later = () => new Date(Date.now() + 60_000).toUTCString();
const past = () => new Date(Date.now() - 60_000).toUTCString();

/** How pages say who may keep them. Of those in `publicKinds` a shared cache may answer others. */
const kinds: Record<string, () => Record<string, string>> = {
  'nothing said': () => ({}),
  public: () => ({ 'cache-control': 'public, max-age=600' }),
  'max-age': () => ({ 'cache-control': 'max-age=600' }),
  's-maxage': () => ({ 'cache-control': 'max-age=0, s-maxage=600' }),
  expires: () => ({ expires: later() }),
  immutable: () => ({ 'cache-control': 'public, max-age=600, immutable' }),
  'vary on what is sent': () => ({ 'cache-control': 'max-age=600', vary: 'Accept-Language, User-Agent' }),
  'revalidated once it is stale': () => ({ 'cache-control': 'max-age=600, must-revalidate' }),
  private: () => ({ 'cache-control': 'private' }),
  'private for a while': () => ({ 'cache-control': 'private, max-age=600' }),
  'private field': () => ({ 'cache-control': 'max-age=600, private="x-token"' }),
  'PRIVATE in capitals': () => ({ 'cache-control': 'max-age=600, PRIVATE' }),
  'private, wrongly separated': () => ({ 'cache-control': 'private; max-age=600' }),
  'private, no-store': () => ({ 'cache-control': 'private, no-store' }),
  'no-store': () => ({ 'cache-control': 'no-store' }),
  'no-store, wrongly separated': () => ({ 'cache-control': 'max-age=600 no-store' }),
  'no-cache': () => ({ 'cache-control': 'no-cache' }),
  'pragma: no-cache': () => ({ pragma: 'no-cache' }),
  'a cookie': () => ({ 'cache-control': 'max-age=600', 'set-cookie': `session=${randomUUID()}` }),
  'a cookie of the older kind': () => ({ 'set-cookie2': `session=${randomUUID()}` }),
  'vary: *': () => ({ 'cache-control': 'max-age=600', vary: 'Accept, *' }),
  'revalidated always': () => ({ 'cache-control': 'max-age=0, must-revalidate' }),
  'revalidated by proxies': () => ({ 'cache-control': 'max-age=600, s-maxage=0, proxy-revalidate' }),
  'past its time': () => ({ expires: past(), 'cache-control': 'must-revalidate' }),
  'as old as it may be': () => ({ 'cache-control': 's-maxage=600', age: '600' }),
};
const publicKinds = Object.keys(kinds).slice(0, 8);

/** Each answer has a token of its own, after a moment in which others ask too. */
const server = createServer((request, response) => {
  void sleep(150).then(() => {
    const kind = decodeURIComponent(new URL(`http://site${request.url}`).searchParams.get('kind') ?? '');
    const headers = { 'content-type': 'text/html', date: new Date().toUTCString(), ...kinds[kind]?.() };
    const token = randomUUID();
    response.writeHead(200, { ...headers, 'x-token': token });
    response.end(`<title>Yours</title><p>${token}</p>`);
  });
});
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const tokensIn = (text: string) =>
  text.match(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g);

interface Reader {
  key: string;
  url: string;
}

async function read({ key, url }: Reader, kind: string, run: string, maxAge: number) {
  const page = `${origin}/?kind=${encodeURIComponent(kind)}&run=${run}`;
  const { status, body } = await call(scrapePath, { key, body: { url: page, render: 'http', maxAge } }, url);
  expect(status).toBe(200);
  const { data, meta } = body;
  return { tokens: tokensIn(JSON.stringify([data.html, data.headers])) ?? [], cache: meta.cache };
}

/** All kinds by both at once, twice each side by side, then once more from what is kept. */
async function readAll(readers: readonly [Reader, Reader]) {
  const run = randomUUID();
  const readBy = async (reader: Reader, kind: string) => {
    const first = await Promise.all([0, 1].map(() => read(reader, kind, run, 60_000)));
    return [...first, await read(reader, kind, run, 60_000)];
  };
  return await Promise.all(
    Object.keys(kinds).map(async (kind) => {
      const [ones, others] = await Promise.all([readBy(readers[0], kind), readBy(readers[1], kind)]);
      const seen = new Set(ones.flatMap(({ tokens }) => tokens));
      return { kind, isShared: others.some(({ tokens }) => tokens.some((token) => seen.has(token))), ones };
    }),
  );
}

test('no byte of one user comes to the other, who hears nothing of it from the cache either', async () => {
  const { home, url, key } = inject('stack');
  const other = await createTestKey(home, 'scale');
  const answers = await readAll([
    { key, url },
    { key: other.key, url },
  ]);
  expect(answers.filter(({ isShared }) => isShared).map(({ kind }) => kind)).toEqual([]);
  // What is the user's own is kept for the user, but for what nobody may keep.
  const hits = answers.filter(({ ones }) => ones.at(-1)?.cache.state === 'hit');
  const kept = new Set(hits.map(({ kind }) => kind));
  expect(Object.keys(kinds).filter((kind) => !kept.has(kind))).toEqual([
    'private, no-store',
    'no-store',
    'no-store, wrongly separated',
    'vary: *',
  ]);
  // A page that the other has read is as new to this one as any.
  const run = randomUUID();
  await read({ key, url }, 'public', run, 60_000);
  expect((await read({ key: other.key, url }, 'public', run, 60_000)).cache).toEqual({
    state: 'miss',
    ageSeconds: null,
  });
});

describe('with a cache that the operator lets users share', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ env: { PAGE_CACHE_SHARED: '1' } });
  });
  afterAll(() => service.stop());

  test('only what is public is', async () => {
    const other = await createTestKey(service.home, 'scale');
    const readers = [
      { key: service.key, url: service.url },
      { key: other.key, url: service.url },
    ] as const;
    const answers = await readAll(readers);
    const shared = answers.filter(({ isShared }) => isShared).map(({ kind }) => kind);
    expect(shared.filter((kind) => !publicKinds.includes(kind))).toEqual([]);
    const run = randomUUID();
    const hits = await Promise.all(
      Object.keys(kinds).map(async (kind) => {
        await read(readers[0], kind, run, 60_000);
        return (await read(readers[1], kind, run, 60_000)).cache.state === 'hit' ? [kind] : [];
      }),
    );
    expect(hits.flat()).toEqual(publicKinds);
  });
});
