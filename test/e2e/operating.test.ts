import { randomBytes } from 'node:crypto';
import { copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backupCommands } from '../../src/admin/backup-commands.ts';
import { restoreBackup } from '../../src/admin/backup/read-backup.ts';
import { writeBackup } from '../../src/admin/backup/write-backup.ts';
import type { EncryptionKey } from '../../src/shared/config-values.ts';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { migrate } from '../../src/shared/db/migrate.ts';
import { checkEncryptionKeys } from '../../src/shared/keys/encryption-keys.ts';
import { createKeyCipher } from '../../src/shared/keys/key-cipher.ts';
import { call, scrapePath, screenshotPath } from '../support/client.ts';
import { environmentOf } from '../support/processes.ts';
import { createTestHome, runAdmin, type Service, startService } from '../support/service.ts';
import { signIn } from '../support/session.ts';
import { startSite, type Site } from '../support/site.ts';
import { deadOrigin } from '../support/site/page.ts';
import { type CollectedSpan, startTraceCollector, type TraceCollector } from '../support/trace-collector.ts';

let folder: string;
let homes: string[];
let site: Site;
let collector: TraceCollector;
let service: Service;
let databaseUrl: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry-backup-'));
  homes = await Promise.all([createTestHome(), createTestHome()]);
  site = await startSite();
  collector = await startTraceCollector();
  service = await startService({
    home: homes[0] ?? '',
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=quarry=1',
      OTEL_SERVICE_NAME: 'quarry-under-test',
    },
  });
  databaseUrl = environmentOf(service)['DATABASE_URL'] ?? '';
});
afterAll(async () => {
  await service.stop();
  await site.close();
  await collector[Symbol.asyncDispose]();
  await Promise.all(
    [folder, ...homes].map((each) => rm(each, { recursive: true, force: true, maxRetries: 5 })),
  );
});

/** A database beside that of the service, whose role makes none. */
async function createDatabase(name: string): Promise<string> {
  const { username, port } = new URL(databaseUrl);
  const password = (await readFile(join(service.home, 'postgres-password'), 'utf8')).trim();
  await query(
    `postgres://quarry:${password}@127.0.0.1:${port}/postgres`,
    `create database ${name} owner ${username}`,
  );
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('a trace', () => {
  const traceId = randomBytes(16).toString('hex');
  const clientSpan = randomBytes(8).toString('hex');
  const ask = (path: string, body: object) =>
    call(
      path,
      { key: service.key, body, headers: { traceparent: `00-${traceId}-${clientSpan}-01` } },
      service.url,
    );
  /** The names from the client's own step down to this one. */
  function wayTo(span: CollectedSpan): string[] {
    const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
    return [...(parent ? wayTo(parent) : []), span.name];
  }
  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId);

  test('goes from the client’s step over request, queue and worker to the target', async () => {
    const url = `${site.origin}/article?token=of-the-target`;
    await ask(scrapePath, { url, render: 'http' });
    await ask(screenshotPath, { url });
    await ask(`${scrapePath}/urls`, { urls: [url, `${deadOrigin}/`] });
    const ways = () => ofTrace().map((span) => wayTo(span).join(' > '));
    const wanted = [
      'POST web.scrape > run web.scrape > GET',
      'POST web.screenshot > run web.screenshot > GET',
      'POST web.scrape-urls > run web.scrape-urls > run web.scrape > GET',
      // It goes on when its parts have ended.
      'POST web.scrape-urls > run web.scrape-urls',
    ];
    await expect.poll(ways, { timeout: 30_000 }).toEqual(expect.arrayContaining(wanted));
    const failures = () => ofTrace().flatMap(({ error }) => error ?? []);
    await expect.poll(failures, { timeout: 30_000 }).toContain('target_unreachable');

    const request = ofTrace().find(({ name }) => name === 'POST web.scrape');
    expect(request).toMatchObject({
      service: 'quarry-under-test',
      parentSpanId: clientSpan,
      attributes: { 'http.response.status_code': 200, 'quarry.operation': 'web.scrape' },
    });
    const fetched = ofTrace().find((span) => wayTo(span).join(' > ').endsWith('run web.scrape > GET'));
    expect(fetched?.attributes).toMatchObject({
      'server.address': '127.0.0.1',
      'http.request.method': 'GET',
      'quarry.route': 'direct',
    });
    // What a user asks of a target is no operator's.
    expect(JSON.stringify(collector.spans)).not.toContain('of-the-target');
    expect(collector.headers[0]).toMatchObject({ 'x-tenant': 'quarry=1' });
  });
});

function openDb(url: string): { db: Db } & AsyncDisposable {
  const db = createDb({ url, poolSize: 1, onError: () => undefined });
  return { db, [Symbol.asyncDispose]: () => db.destroy() };
}

const keysOf = (text: string): EncryptionKey[] =>
  text.split(',').map((part) => {
    const [version, key = ''] = part.split(':');
    return { version: Number(version), key: Buffer.from(key, 'base64') };
  });

// A whole service ends and another begins.
describe('a backup', { timeout: 180_000 }, () => {
  test('of an older version is restored in its schema, and brought up to date', async () => {
    const [old, fresh] = [await createDatabase('old'), await createDatabase('fresh')];
    await migrate(old, '0014-webhooks');
    await query(
      old,
      `insert into users (id, name, email) values (gen_random_uuid(), E'Tab\\there, and\\nlines \\\\.', 'old@quarry.test');
       insert into licenses (user_id, plan, rate_limit, max_concurrent_jobs, max_keys)
         select id, 'pro', 1000, 10, 10 from users`,
    );
    const file = join(folder, 'old.sql.gz');
    const rows = await writeBackup(old, file);
    expect([rows.get('users'), rows.get('licenses')]).toEqual([1, 1]);
    await migrate(fresh);
    await restoreBackup(fresh, file);
    expect(
      await query(fresh, 'select name, user_rate_limit from users join licenses on user_id = users.id'),
    ).toEqual([{ name: 'Tab\there, and\nlines \\.', user_rate_limit: 10_000 }]);
    const names = (url: string) => query(url, 'select name from kysely_migration order by name');
    expect(await names(fresh)).toEqual(await names(databaseUrl));
  });

  test('is refused, and changes nothing, where it is cut off, changed, or of a newer version', async () => {
    const target = await createDatabase('target');
    await migrate(target);
    const file = join(folder, 'whole.sql.gz');
    await writeBackup(databaseUrl, file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await expect(writeBackup(databaseUrl, file)).rejects.toThrow('is there already');
    for (const place of ['none/x', 'whole.sql.gz/x'])
      await expect(writeBackup(databaseUrl, join(folder, place))).rejects.toThrow(
        `${place} is in a folder that is not there`,
      );

    const packed = await readFile(file);
    const script = (await promisify(gunzip)(packed)).toString();
    const altered = (text: string) => promisify(gzip)(text);
    const broken: [string, Buffer | string][] = [
      ['is not a whole backup', packed.subarray(0, packed.length - 20)],
      ['is not a whole backup', await altered(script.slice(0, script.lastIndexOf('-- End')))],
      [
        'is not a whole backup',
        await altered(script.replace('copy "users"', 'drop table users; copy "users"')),
      ],
      ['is not a whole backup', 'no gzip'],
      [
        'of a newer version',
        await altered(script.replace('"migrations":["', '"migrations":["9999-later","')),
      ],
    ];
    for (const [words, bytes] of broken) {
      const copy = join(folder, 'broken.sql.gz');
      await writeFile(copy, bytes);
      await expect(restoreBackup(target, copy)).rejects.toThrow(words);
    }
    await expect(restoreBackup(target, join(folder, 'none'))).rejects.toThrow('There is no file');
    await expect(restoreBackup(databaseUrl, file)).rejects.toThrow('The database is not empty');
    expect(await query(target, 'select count(*)::int from users')).toEqual([{ count: 0 }]);
    // The rows are there then, but of no use.
    await using wrong = openDb(target);
    const config = { PLANS: {}, KEY_ENCRYPTION_KEYS: keysOf(`1:${randomBytes(32).toString('base64')}`) };
    const restoring = backupCommands['backup restore']?.run(
      { ...wrong, databaseUrl: target, config },
      { from: file },
    );
    await expect(restoring).rejects.toThrow('not the secrets that belong to them');
    expect(await query(target, 'select count(*)::int from users')).toEqual([{ count: 1 }]);
  });

  test('is refused where the database has tables of others, which stay as they are', async () => {
    const file = join(folder, 'beside.sql.gz');
    await writeBackup(databaseUrl, file);
    // Without our tables, and with those of an older version.
    for (const [name, version] of [['theirs'], ['shared', '0014-webhooks']] as const) {
      const target = await createDatabase(name);
      if (version !== undefined) await migrate(target, version);
      await query(target, 'create table customers as select 1 as id');
      await expect(restoreBackup(target, file)).rejects.toThrow(/not of this version of Quarry: customers\./);
      expect(await query(target, 'select * from customers')).toEqual([{ id: 1 }]);
      // What is no table of theirs is in nobody's way.
      await query(target, 'drop table customers; create function theirs() returns int return 1');
      await restoreBackup(target, file);
      expect(await query(target, 'select theirs()')).toEqual([{ theirs: 1 }]);
    }
  });

  test('makes an empty service what the old one was, after an upgrade too, also with new secrets', async () => {
    const { home, key } = service;
    const password = (await readFile(join(home, 'password'), 'utf8')).trim();
    const ask = (path: string, options: Parameters<typeof call>[1] = {}) =>
      call(path, { key, ...options }, service.url);
    const scraped = await ask(scrapePath, { body: { url: `${site.origin}/article` } });
    const shot = await ask(screenshotPath, { body: { url: `${site.origin}/article` } });
    const { id, sha256, imageUrl } = shot.body['data'];
    const picture = await fetch(new URL(new URL(imageUrl).pathname + new URL(imageUrl).search, service.url));
    const image = Buffer.from(await picture.arrayBuffer());
    const session = await signIn('owner@quarry.localhost', password, service.url);
    const byOwner = { key: null, headers: { Cookie: session } };
    const revoked = (await ask('/api/keys', { ...byOwner, body: { name: 'Gone' } })).body;
    await ask(`/api/keys/${revoked['id']}/revoke`, { ...byOwner, method: 'POST' });
    const used = (await ask('/api/proxy/web/v1/profile')).body['data'].key.used;

    // While the service runs.
    const file = join(folder, 'service.sql.gz');
    await service.admin('backup', 'create', '--to', file);
    // An upgrade to a version that is rolled back.
    await query(databaseUrl, `insert into kysely_migration values ('9999-later', now())`);
    await service.stop();
    await expect(startService({ home })).rejects.toThrow(
      /A newer version has migrated the database \(9999-later\).*restore the backup from before the upgrade/,
    );

    const restored = homes[1] ?? '';
    const old = JSON.parse(await readFile(join(home, 'secrets.json'), 'utf8')) as Record<string, string>;
    const newKey = `2:${randomBytes(32).toString('base64')}`;
    const secrets = {
      KEY_ENCRYPTION_KEYS: `${newKey},${old['KEY_ENCRYPTION_KEYS']}`,
      SESSION_SECRET: randomBytes(32).toString('base64'),
      LINK_SECRET: randomBytes(32).toString('base64'),
    };
    await writeFile(join(restored, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
    await copyFile(join(home, 'key'), join(restored, 'key'));
    await runAdmin(restored, 'backup', 'restore', '--from', file);

    service = await startService({ home: restored });
    expect(service.key).toBe(key);
    expect((await ask('/api/keys/validate', { method: 'POST' })).body['valid']).toBe(true);
    const refused = await ask(scrapePath, { key: String(revoked['key']), body: { url: site.origin } });
    expect([refused.status, refused.body['code']]).toEqual([401, 'key_revoked']);
    const { key: ofKey, user } = (await ask('/api/proxy/web/v1/profile')).body['data'];
    expect([ofKey.used, user.license.plan]).toEqual([used, 'scale']);

    const job = await ask(`/api/proxy/jobs/${scraped.body['meta'].jobId}`);
    expect(job.body['data'] ?? job.body).toMatchObject({ status: 'succeeded' });
    const again = await ask(`${screenshotPath}/${id}`);
    expect(again.body['data'].sha256).toBe(sha256);
    const bytes = await fetch(new URL(again.body['data'].imageUrl));
    expect(Buffer.from(await bytes.arrayBuffer()).equals(image)).toBe(true);

    const more = await ask(scrapePath, { body: { url: `${site.origin}/article` } });
    expect(more.status).toBe(200);

    // The secrets that were changed end what they had signed, and nothing else.
    const { pathname, search } = new URL(imageUrl);
    expect((await fetch(new URL(pathname + search, service.url))).status).not.toBe(200);
    const keysWith = (cookie: string) => fetch(new URL('/api/keys', service.url), { headers: { cookie } });
    expect((await keysWith(session)).status).toBe(401);
    const renewed = await signIn('owner@quarry.localhost', password, service.url);
    expect((await keysWith(renewed)).status).toBe(200);

    // From here on the new encryption key alone opens all keys.
    expect(await service.admin('keys', 'reencrypt')).toMatchObject({ version: 2 });
    await using newAlone = openDb(environmentOf(service)['DATABASE_URL'] ?? '');
    await checkEncryptionKeys(newAlone.db, createKeyCipher(keysOf(newKey)));
    expect((await ask('/api/keys/validate', { method: 'POST' })).status).toBe(200);
  });
});
