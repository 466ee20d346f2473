import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { withDatabase } from '../src/embedded/with-database.ts';
import { listAnchors, listBacklinks, readReferringDomains } from '../src/shared/db/backlinks.ts';
import { createDb } from '../src/shared/db/client.ts';
import { createTestHome } from '../test/support/service.ts';
import { median, quantile } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * Backlinks of domains in a link index of 2 million links (or as many millions as the argument says, 50 in earnest): the three
 * queries that answer `/seo-insights/backlinks`, for domains as often linked to as a Zipf distribution makes them, and
 * for the most linked one. With the plan and the size on disk. The links are made up in Postgres itself.
 */
const millions = Number(process.argv[2] ?? 2);
/** An existing home goes on being filled, so that the work can be done in pieces; it is then not deleted. */
const givenHome = process.env['BENCH_HOME'];
const domains = 400_000;
const linksAPage = 20;
const asked = 300;

const pieces = (client: pg.Client) => ({
  async pages(million: number): Promise<void> {
    await client.query(
      `insert into link_index_pages (url_hash, url, domain, title, status, internal_links, external_links)
       select md5('page' || n)::uuid, 'https://www.site' || n % ${domains} || '.example/articles/' || n,
         'site' || n % ${domains} || '.example', 'Article ' || n, 200, 40, ${linksAPage}
       from generate_series(${million} * ${1_000_000 / linksAPage}, (${million} + 1) * ${1_000_000 / linksAPage} - 1) n`,
    );
  },
  async links(million: number): Promise<void> {
    // The power makes few domains much linked to, as on the web.
    await client.query(
      `insert into link_index_links (from_hash, to_hash, to_url, from_domain, to_domain, anchor, rel, first_seen_at, last_seen_at)
       select md5('page' || n / ${linksAPage})::uuid, md5('link' || n)::uuid,
         'https://www.site' || target || '.example/page-' || n % 1000,
         'site' || (n / ${linksAPage}) % ${domains} || '.example', 'site' || target || '.example',
         'Anchor text ' || n % 40, case when n % 4 = 0 then 'nofollow noopener' else '' end,
         now() - make_interval(days => (n % 300)::integer), now() - make_interval(days => (n % 30)::integer)
       from (
         select n, floor(${domains} * power(random(), 3))::integer as target
         from generate_series(${million} * 1000000, (${million} + 1) * 1000000 - 1) n
       ) made`,
    );
  },
});

async function dropIndexes(client: pg.Client): Promise<void> {
  await client.query(
    `alter table link_index_links drop constraint if exists link_index_links_from_hash_fkey`,
  );
  await client.query(`alter table link_index_links drop constraint if exists link_index_links_pkey`);
  await client.query(`drop index if exists link_index_links_to`);
}

async function makeIndexes(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select from pg_indexes where indexname = 'link_index_links_to'`);
  if (rows.length > 0) return;
  const startedAt = performance.now();
  await client.query(`set maintenance_work_mem = '1GB'`);
  await client.query(
    `create index link_index_links_to on link_index_links (to_domain, from_domain, last_seen_at desc)
       include (first_seen_at, followed)`,
  );
  await client.query(`vacuum analyze link_index_links`);
  console.log(`index made in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
}

async function measure(databaseUrl: string, client: pg.Client): Promise<void> {
  await using db = createDb({ url: databaseUrl, poolSize: 4, onError: () => undefined });
  const answer = async (domain: string) => {
    const startedAt = performance.now();
    const { totals, domains: from } = await readReferringDomains(db, domain, null, 100);
    await Promise.all([
      listAnchors(db, domain),
      listBacklinks(
        db,
        domain,
        from.map((one) => one.domain),
        100,
      ),
    ]);
    return { ms: performance.now() - startedAt, backlinks: totals.backlinks };
  };
  // As often asked for as linked to: every domain that some link leads to.
  const { rows } = await client.query<{ to_domain: string }>(
    `select to_domain from link_index_links tablesample system (0.05) order by random() limit ${asked}`,
  );
  const linked: { ms: number; backlinks: number }[] = [];
  for (const { to_domain } of rows) linked.push(await answer(to_domain));
  const any: { ms: number; backlinks: number }[] = [];
  for (let n = 0; n < asked; n++)
    any.push(await answer(`site${Math.floor(Math.random() * domains)}.example`));
  const tell = (what: string, answers: typeof any) => {
    const times = answers.map((one) => one.ms);
    tellFigure({ what: `${what}, p95`, value: quantile(times, 0.95), unit: 'ms' });
    console.log(
      `${what}: median ${median(times).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms ` +
        `(${median(answers.map((one) => one.backlinks))} backlinks at the median, ${Math.max(...answers.map((one) => one.backlinks))} at most)`,
    );
  };
  tell(`${asked} domains, each as likely as it is linked to`, linked);
  tell(`${asked} domains, all as likely`, any);
  const most = await answer('site0.example');
  console.log(`the most linked one: ${most.ms.toFixed(0)} ms for ${most.backlinks} backlinks`);
}

async function describe(client: pg.Client): Promise<void> {
  await client.query('set enable_seqscan = off; set jit = off');
  const { rows: plan } = await client.query<Record<string, string>>(
    `explain (analyze, buffers, costs off) select from_domain, count(*), count(*) filter (where followed),
       min(first_seen_at), max(last_seen_at) from link_index_links where to_domain = 'site200000.example' group by from_domain`,
  );
  console.log(plan.map((row) => row['QUERY PLAN']).join('\n'));
  const { rows: sizes } = await client.query(
    `select relname as name, reltuples::bigint as rows, pg_size_pretty(pg_relation_size(oid)) as size from pg_class
       where relname like 'link_index%' and relkind in ('r', 'i') and pg_relation_size(oid) > 8192`,
  );
  console.table(sizes);
}

const home = givenHome ?? (await createTestHome());
try {
  await withDatabase({ ...process.env, QUARRY_HOME: home }, async ({ databaseUrl }) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const { rows } = await client
      .query<{ have: number }>(`select coalesce((select n from bench_progress), 0)::integer as have`)
      .catch(async () => {
        await client.query('create table bench_progress as select 0 as n');
        return { rows: [{ have: 0 }] };
      });
    const make = pieces(client);
    const until = performance.now() + Number(process.env['BENCH_SECONDS'] ?? 3_600) * 1_000;
    let have = rows[0]?.have ?? 0;
    if (have < millions) await dropIndexes(client);
    await client.query('set synchronous_commit = off');
    for (; have < millions && performance.now() < until; have++) {
      await client.query('begin');
      await make.pages(have);
      await make.links(have);
      await client.query(`update bench_progress set n = ${have + 1}`);
      await client.query('commit');
      await sleep(0);
    }
    console.log(`${have} million links`);
    if (have >= millions) {
      await makeIndexes(client);
      await describe(client);
      await measure(databaseUrl, client);
    }
    await client.end();
  });
} finally {
  if (givenHome === undefined) await rm(home, { recursive: true, force: true });
}
