import { chmod, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withDatabase } from '../../src/embedded/with-database.ts';
import { runSeoCommand, startSeoCommand } from '../support/seo-command.ts';
import { domainsOf, writeCommonCrawlRanks, writeTranco } from '../support/seo-files.ts';

const rows = 400_000;
let folder: string;
let database: pg.Client;
let env: Record<string, string>;
const done = Promise.withResolvers<void>();
let closed: Promise<void>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry-import-'));
  await chmod(folder, 0o755);
  const opened = Promise.withResolvers<string>();
  const home = { QUARRY_HOME: join(folder, 'home') };
  closed = withDatabase({ ...process.env, ...home }, async ({ databaseUrl }) => {
    opened.resolve(databaseUrl);
    await done.promise;
  });
  env = { ...home, DATABASE_URL: await opened.promise };
  database = new pg.Client({ connectionString: env['DATABASE_URL'] });
  await database.connect();
}, 60_000);
afterAll(async () => {
  await database.end();
  done.resolve();
  await closed;
  await rm(folder, { recursive: true, force: true });
});

const path = (name: string) => join(folder, name);
const seo = (...args: string[]) => runSeoCommand(env, ...args);
async function one(text: string): Promise<Record<string, any>> {
  return (await database.query<Record<string, any>>(text)).rows[0] ?? {};
}
const totals = (id: number) =>
  one(`select count(*)::int as rows, count(distinct domain)::int as domains, sum(rank)::float8 as ranks,
         sum(pagerank)::float8 as pagerank from seo_domain_ranks where dataset_id = ${id}`);

test('an import that is killed half-way goes on where it was, to the same totals', async () => {
  const file = path('cc-main-2026-jan-feb-mar-domain-ranks.txt.gz');
  await writeCommonCrawlRanks(file, domainsOf(rows));
  const whole = await seo('import', 'commoncrawl-ranks', file);
  expect(whole).toMatchObject({ rows, skipped: 1, resumedFrom: 0 });

  const again = ['import', 'commoncrawl-ranks', file, '--release', 'again', '--date', '2026-03-31'];
  const { child, answer } = startSeoCommand(env, ...again);
  answer.catch(() => undefined);
  const stored = async () =>
    Number((await one(`select row_count from seo_datasets where name = 'again'`))['row_count'] ?? 0);
  await expect.poll(stored, { timeout: 30_000, interval: 5 }).toBeGreaterThan(10_000);
  child.kill('SIGKILL');
  await answer.catch(() => undefined);
  const kept = await stored();
  expect(kept).toBeLessThan(rows);
  // Nobody sees half of it.
  expect((await one('select count(distinct dataset_id)::int as n from seo_domain_ranks'))['n']).toBe(1);

  const resumed = await seo(...again);
  expect(resumed).toMatchObject({ rows, skipped: 1, resumedFrom: kept });
  expect(await totals(resumed['id'])).toEqual(await totals(whole['id']));
}, 120_000);

test('the same file again is imported already; another one in its place is refused', async () => {
  const list = path('tranco-2026-11-01.csv');
  await writeTranco(list, domainsOf(1_000));
  const first = await seo('import', 'tranco', list);
  expect(first).toMatchObject({ rows: 1_000, resumedFrom: 0 });
  expect(await seo('import', 'tranco', list)).toMatchObject({ id: first['id'], resumedFrom: 1_000 });
  await writeTranco(list, domainsOf(999));
  expect((await seo('import', 'tranco', list))['error']).toMatch(/from another file.*remove --id/);
  expect(await seo('remove', '--id', String(first['id']))).toEqual({ removed: first['id'] });
  expect(await seo('import', 'tranco', list)).toMatchObject({ rows: 999 });
  const known = await one(`select rank from seo_domain_ranks join seo_datasets on id = dataset_id
    where kind = 'tranco' and domain = '${[...domainsOf(7)].at(-1)}'`);
  expect(known['rank']).toBe(7);
}, 60_000);

test('a list that a spreadsheet has written loses no row', async () => {
  await writeFile(path('sheet.csv'), '\ufeff"1","Google.com"\r\n2,EXAMPLE.org\r\n"3","example.com"\r\n');
  const list = await seo('import', 'tranco', path('sheet.csv'), '--date', '2026-10-01');
  expect(list).toMatchObject({ rows: 3, skipped: 0 });
  const stored = await database.query(
    `select rank, domain from seo_domain_ranks where dataset_id = ${list['id']} order by rank`,
  );
  expect(stored.rows.map((row: any) => row.domain)).toEqual(['google.com', 'example.org', 'example.com']);
}, 30_000);

test('files of another kind, cut off, packed otherwise or without a date are refused, and leave nothing', async () => {
  const before = await one('select count(*)::int as n from seo_datasets');
  await Promise.all([
    writeFile(path('page.html'), '<!doctype html>\n'.repeat(5_000)),
    writeFile(path('empty.csv'), ''),
    writeFile(path('list.zip'), Buffer.from('PK\u0003\u0004 and more')),
    writeTranco(path('undated.csv'), domainsOf(3)),
  ]);
  const day = (n: number) => ['--date', `2026-01-0${n}`];
  const refused = async (reason: RegExp, ...args: string[]) =>
    expect((await seo('import', ...args))['error']).toMatch(reason);
  await Promise.all([
    refused(/is no tranco file/, 'tranco', path('page.html'), ...day(1)),
    refused(/is no tranco file/, 'tranco', path('empty.csv'), ...day(2)),
    refused(/zip/, 'tranco', path('list.zip'), ...day(3)),
    refused(/--date/, 'tranco', path('undated.csv')),
    refused(/no date/, 'tranco', path('undated.csv'), '--date', 'soon'),
    refused(/cannot be read/, 'tranco', path('missing.csv'), ...day(4)),
    refused(/of hosts.*-domain-ranks/, 'commoncrawl-ranks', path('cc-main-2026-jan-host-ranks.txt.gz')),
    refused(/Usage/, 'nonsense', path('undated.csv')),
  ]);
  expect(await one('select count(*)::int as n from seo_datasets')).toEqual(before);

  const cut = path('cc-main-2025-26-dec-jan-feb-domain-ranks.txt.gz');
  await writeCommonCrawlRanks(cut, domainsOf(50_000));
  await truncate(cut, 100_000);
  expect((await seo('import', 'commoncrawl-ranks', cut))['error']).toMatch(/damaged or cut off/);
  expect(
    (await one(`select as_of::text from seo_datasets where name = 'cc-main-2025-26-dec-jan-feb'`))['as_of'] ??
      null,
  ).toBeNull();
}, 60_000);
