import { execFile } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createJobSecrets } from '../../src/shared/jobs/job-secrets.ts';
import { reencryptKeys } from '../../src/shared/keys/encryption-keys.ts';
import { deriveJobInputKeys } from '../../src/shared/keys/job-input-keys.ts';
import { createKeyCipher } from '../../src/shared/keys/key-cipher.ts';
import { createRedis } from '../../src/shared/redis.ts';
import { type ApiCluster, startApiCluster } from '../support/api-cluster.ts';
import { call, scrapePath } from '../support/client.ts';
import { signIn } from '../support/session.ts';

const first = { version: 1, key: randomBytes(32) };
const second = { version: 2, key: randomBytes(32) };
const textOf = (...keys: { version: number; key: Buffer }[]) =>
  keys.map(({ version, key }) => `${version}:${key.toString('base64')}`).join(',');

let cluster: ApiCluster;
beforeAll(async () => {
  cluster = await startApiCluster({
    processes: 1,
    encryptionKey: first.key,
    env: { LOG_LEVEL: 'trace' },
  });
});
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

/** `npm run admin -- keys reencrypt`. */
async function runReencrypt(encryptionKeys: string): Promise<Record<string, unknown>> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['src/admin/main.ts', 'keys', 'reencrypt', '--json'],
    {
      cwd: join(import.meta.dirname, '../..'),
      env: { ...process.env, ...cluster.env, KEY_ENCRYPTION_KEYS: encryptionKeys },
    },
  );
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Every table as `pg_dump` would write it. */
async function dumpDatabase(): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(cluster.db);
  const dumps = await Promise.all(
    tables.map(async ({ name }) => {
      const { rows } = await sql<{ line: string }>`select t::text as line from ${sql.table(name)} t`.execute(
        cluster.db,
      );
      return [name, ...rows.map(({ line }) => line)].join('\n');
    }),
  );
  return dumps.join('\n');
}

/** Every key and value. */
async function dumpRedis(): Promise<string> {
  const redis = createRedis({
    urls: [cluster.redisUrl],
    isCluster: false,
    onError: () => undefined,
    blocking: true,
  });
  const readers: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => redis.get(key),
    list: (key) => redis.lrange(key, 0, -1),
    hash: (key) => redis.hgetall(key),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, 0, -1),
    stream: (key) => redis.xrange(key, '-', '+'),
  };
  const names = await redis.keys('*');
  const values = await Promise.all(
    names.map(async (name) => [name, await readers[await redis.type(name)]?.(name)]),
  );
  redis.disconnect();
  return JSON.stringify(values);
}

describe('the secret of a key', () => {
  test('is in no log, error, queue, table or trace, wherever a client puts it', async () => {
    const { url } = cluster.apis[0]!;
    const password = 'correct horse battery';
    const owned = await cluster.createKey(1_000, password);
    const cookie = await signIn(owned.email, password, url);
    const made = await call(
      '/api/keys',
      { key: null, headers: { Cookie: cookie }, body: { name: 'canary' } },
      url,
    );
    const { id, key } = made.body;
    const rotated = await call(
      `/api/keys/${id}/rotate`,
      { method: 'POST', key: null, headers: { Cookie: cookie } },
      url,
    );
    const canaries = [owned.key, key, rotated.body['key']] as string[];

    const answers: string[] = [];
    const send = async (path: string, options: Parameters<typeof call>[1]) => {
      const { body, headers } = await call(path, { ...options }, url);
      answers.push(JSON.stringify(body), JSON.stringify([...headers]));
    };
    for (const canary of canaries) {
      const changed = canary.slice(0, -1) + (canary.endsWith('A') ? 'B' : 'A');
      const body = { url: 'https://example.com/' };
      await send(scrapePath, {
        key: canary,
        body,
        headers: { Prefer: 'respond-async', 'X-Request-Id': canary },
      });
      await send('/api/keys/validate', { method: 'POST', key: canary });
      await send('/api/keys/validate', { method: 'POST', key: changed });
      await send(scrapePath, { key: `${canary}x`, body });
      await send(scrapePath, {
        key: null,
        headers: { Authorization: `Bearer ${canary}` },
        body: { [canary]: 1 },
      });
      await send(`/api/${canary}?key=${canary}`, { key: null });
      await send(`/api/proxy/jobs/${canary}`, { key: canary });
      await send(`/api/proxy/jobs?${canary}=1`, { key: canary });
      await send(scrapePath, { key: canary, rawBody: `{"url":"${canary}` });
      await send('/api/auth/sign-in/email', { key: canary, body: { email: canary, password: canary } });
    }
    for (const { id: any } of [{ id: owned.id }, { id }])
      await call(`/api/keys/${any}`, { key: null, headers: { Cookie: cookie } }, url).then(({ body }) =>
        answers.push(JSON.stringify(body)),
      );

    const places = {
      answers: answers.join('\n'),
      log: await cluster.readLog(),
      database: await dumpDatabase(),
      redis: await dumpRedis(),
    };
    expect(places.log).toContain('"path":"/api/keys/validate"');
    expect(places.database).toContain('canary');
    expect(places.redis).toContain(id);
    for (const canary of canaries) {
      const hash = createHash('sha256').update(canary).digest();
      const traces = [canary.slice(21, 53), canary, hash.toString('hex'), hash.toString('base64')];
      for (const [place, text] of Object.entries(places))
        for (const trace of traces)
          expect(text.includes(trace), `a trace of a key in the ${place}`).toBe(false);
    }
  });
});

// Each starts processes one after the other.
describe('the encryption keys', { timeout: 90_000 }, () => {
  test('come into use in two steps: at each, processes of before and after open what the others have sealed', async () => {
    const steps = [[first], [first, second], [second, first]];
    const owner = await cluster.createKey(1_000, 'correct horse battery');
    const apis: { url: string }[] = [];
    for (const keys of steps) apis.push(await cluster.startApi({ KEY_ENCRYPTION_KEYS: textOf(...keys) }));
    const workers = steps.map((keys) => createJobSecrets(deriveJobInputKeys(keys)));
    const headers = { Cookie: await signIn(owner.email, 'correct horse battery', apis[0]!.url) };
    const isOpened = async (maker: number, opener: number) => {
      const made = await call('/api/keys', { key: null, headers, body: { name: 'x' } }, apis[maker]!.url);
      const { status } = await call(
        '/api/keys/validate',
        { method: 'POST', key: made.body['key'] },
        apis[opener]!.url,
      );
      const id = randomUUID();
      const request = { url: 'https://example.com/', cookies: { session: 'x' } };
      const row = { id, ...workers[maker]!.split(id, request) };
      expect(workers[opener]!.join(row)).toEqual(request);
      return status === 200;
    };
    for (const [maker, opener] of [
      [0, 1],
      [1, 0],
      [1, 2],
      [2, 1],
    ] as const)
      expect(await isOpened(maker, opener), `${opener} opens what ${maker} has sealed`).toBe(true);
    // In one step it would be these two.
    const id = randomUUID();
    const row = { id, ...workers[2]!.split(id, { cookies: { session: 'x' } }) };
    expect(() => workers[0]!.join(row)).toThrow('lacks version 2');
  });

  test('are changed while requests go on, and a run that was cut short is taken up again', async () => {
    const owned = await Promise.all(Array.from({ length: 20 }, () => cluster.createKey(1_000)));
    const api = await cluster.startApi({ KEY_ENCRYPTION_KEYS: textOf(second, first) });
    const enough = new AbortController();
    const refused: unknown[] = [];
    const validate = async ({ key }: { key: string }) => {
      const { status, body } = await call('/api/keys/validate', { method: 'POST', key }, api.url);
      if (status !== 200) refused.push(body);
    };
    const requests = owned.slice(0, 4).map(async (one) => {
      while (!enough.signal.aborted) await Promise.all([validate(one), sleep(5)]);
    });
    const rotating = createKeyCipher([second, first]);
    // Two at once, as after a run that was believed dead.
    const [byCommand, byCall] = await Promise.all([
      runReencrypt(textOf(second, first)),
      reencryptKeys(cluster.db, rotating),
    ]);
    expect(Number(byCommand['reencrypted']) + byCall.done).toBeGreaterThanOrEqual(owned.length);
    await Promise.all(owned.map(validate));
    enough.abort();
    await Promise.all(requests);
    expect(refused).toEqual([]);
    expect((await reencryptKeys(cluster.db, rotating)).done).toBe(0);

    const without = await cluster.startApi({ KEY_ENCRYPTION_KEYS: textOf(second) });
    const answer = await call('/api/keys/validate', { method: 'POST', key: owned[0]!.key }, without.url);
    expect(answer.body).toMatchObject({ valid: true });
  });

  test('a start without the right one is refused in words', async () => {
    await expect(cluster.startApi({ KEY_ENCRYPTION_KEYS: textOf(first) })).rejects.toThrow(
      /KEY_ENCRYPTION_KEYS lacks version 2/,
    );
    const other = { version: 2, key: randomBytes(32) };
    await expect(cluster.startApi({ KEY_ENCRYPTION_KEYS: textOf(other, first) })).rejects.toThrow(
      /another key as version 2/,
    );
  });
});
