import { rm } from 'node:fs/promises';
import pg from 'pg';
import { withDatabase } from '../src/embedded/with-database.ts';
import { createDb } from '../src/shared/db/client.ts';
import { registrableDomainOf } from '../src/shared/schemas/seo.ts';
import { readOpenBacklinks } from '../src/workers/seo/open-backlinks.ts';
import { createTestHome } from '../test/support/service.ts';
import { median, quantile } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * Backlinks of domains in a link index of 2 million links (or as many millions as the argument says, 50 in earnest):
 * what `/seo-insights/backlinks` does in its worker, with ranks and a graph of all domains imported, for domains as
 * often linked to as a skewed distribution makes them, and for the most linked ones. With the plan and the size on
 * disk. The links are made up in Postgres itself, and indexed afterwards.
 */
const millions = Number(process.argv[2] ?? 2);
/** An existing home goes on being filled, so that the work can be done in pieces; it is then not deleted. */
const givenHome = process.env['BENCH_HOME'];
/** After so long no further million is begun. */
const seconds = Number(process.env['BENCH_SECONDS'] ?? 3_600);
const domains = 400_000;
/** Of the graph. */
const edges = 2_000_000;
const linksAPage = 20;
const asked = 300;

/** In one statement, as cheap a row as can be: 50 million of them are made. */
async function addMillion(client: pg.Client, million: number): Promise<void> {
  const pages = 1_000_000 / linksAPage;
  // The power makes few domains much linked to, as on the web: the first has 1.4 % of all links.
  await client.query(
    `with pages as (
       insert into link_index_pages (url_hash, url, domain, title, status, internal_links, external_links)
       select gen_random_uuid(), 'https://www.site' || n % ${domains} || '.example/articles/' || n,
         'site' || n % ${domains} || '.example', 'Article ' || n, 200, 40, ${linksAPage}
       from generate_series(${million * pages}, ${(million + 1) * pages - 1}) n
       returning url_hash, domain, external_links
     )
     insert into link_index_links
       (from_hash, to_hash, to_url, from_domain, to_domain, anchor, rel, followed, first_seen_at, last_seen_at)
     select url_hash, gen_random_uuid(),
       'https://www.' || to_domain || '/page-' || link, domain, to_domain,
       (array['Example', 'click here', 'more', 'https://example.com/', 'a page about it'])[1 + link % 5],
       case when link % 4 = 0 then 'nofollow noopener' else '' end, link % 4 <> 0, last_seen_at - interval '100 days', last_seen_at
     from pages
     cross join lateral (select now() - random() * interval '30 days' as last_seen_at) seen
     cross join lateral (
       select link, 'site' || floor(${domains} * power(random(), 3))::integer || '.example' as to_domain
       from generate_series(1, external_links) link
     ) made`,
  );
}

/** The definitions of what makes loading slow, to be made again behind it. */
async function takeIndexesAway(client: pg.Client): Promise<void> {
  await client.query(`
    create table bench_indexes as
      select indexname as name, indexdef as definition from pg_indexes where tablename = 'link_index_links';
    alter table link_index_links drop constraint link_index_links_from_hash_fkey;
    alter table link_index_links drop constraint link_index_links_pkey;
    drop index link_index_links_to`);
}

async function makeIndexes(client: pg.Client): Promise<void> {
  await client.query(`set maintenance_work_mem = '1GB'`);
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select * from bench_indexes where name not in (select indexname from pg_indexes)`,
  );
  for (const { name, definition } of rows) {
    const startedAt = performance.now();
    await client.query(definition);
    console.log(`${name} made in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
  }
  const startedAt = performance.now();
  // As autovacuum does: an index alone answers where Postgres knows that all see a page's rows.
  await client.query(`vacuum analyze link_index_links`);
  console.log(`vacuumed in ${((performance.now() - startedAt) / 1_000).toFixed(0)} s`);
}

async function makeRanks(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ id: number }>(
    `insert into seo_datasets (kind, name, as_of, row_count, finished_at)
     values ('commoncrawl-ranks', 'made up', '2026-03-31', ${domains}, now()) on conflict do nothing returning id`,
  );
  const [dataset] = rows;
  if (dataset === undefined) return;
  await client.query(`
    create table seo_domain_ranks_${dataset.id} partition of seo_domain_ranks for values in (${dataset.id});
    insert into seo_domain_ranks (dataset_id, domain, rank)
      select ${dataset.id}, 'site' || n || '.example', n + 1 from generate_series(0, ${domains - 1}) n;
    analyze seo_domain_ranks_${dataset.id}`);
}

/** A domain-level graph of the same domains, the first of which has more referrers than are looked through. */
async function makeGraph(client: pg.Client): Promise<void> {
  const make = async (kind: string, table: string, columns: string, rows: string) => {
    const { rows: made } = await client.query<{ id: number }>(
      `insert into seo_datasets (kind, name, as_of, row_count, finished_at)
       values ('commoncrawl-${kind}', 'made up', '2026-03-31', 0, now()) on conflict do nothing returning id`,
    );
    const [dataset] = made;
    if (dataset === undefined) return;
    await client.query(`
      create table ${table}_${dataset.id} partition of ${table} for values in (${dataset.id});
      insert into ${table} (dataset_id, ${columns}) select ${dataset.id}, ${rows};
      analyze ${table}_${dataset.id}`);
  };
  await make(
    'vertices',
    'seo_graph_domains',
    'id, domain, hosts',
    `n, 'site' || n || '.example', 1 + n % 9 from generate_series(0, ${domains - 1}) n`,
  );
  await make(
    'edges',
    'seo_graph_edges',
    'from_id, to_id',
    `floor(${domains} * random())::integer, floor(${domains} * power(random(), 3))::integer from generate_series(1, ${edges})`,
  );
}

async function measure(databaseUrl: string, client: pg.Client): Promise<void> {
  await using db = createDb({ url: databaseUrl, poolSize: 4, onError: () => undefined });
  const run = {
    jobId: '',
    signal: new AbortController().signal,
    deadlineAt: Infinity,
    warn() {},
    tellSource() {},
    tellCost() {},
  };
  const answer = async (given: string) => {
    const startedAt = performance.now();
    const { totals } = await readOpenBacklinks(db, { domain: registrableDomainOf(given), limit: 100 }, run);
    return { ms: performance.now() - startedAt, ...totals };
  };
  // As often asked for as linked to: every domain that some link leads to.
  const { rows } = await client.query<{ to_domain: string }>(
    `select to_domain from link_index_links tablesample system (0.05) order by random() limit ${asked}`,
  );
  const linked = rows.map((row) => row.to_domain);
  const any = linked.map(() => `site${Math.floor(Math.random() * domains)}.example`);
  const asUrl = any.map((domain) => `https://blog.${domain}/articles/1?a=b#c`);
  for (const [what, list] of [
    ['each as likely as it is linked to', linked],
    ['all as likely', any],
    ['the same, given as URLs of a subdomain', asUrl],
  ] as const) {
    const answers: Awaited<ReturnType<typeof answer>>[] = [];
    for (const domain of list) answers.push(await answer(domain));
    const times = answers.map((one) => one.ms);
    const backlinks = answers.map((one) => one.backlinks ?? 0);
    tellFigure({ what: `${what}, median`, value: median(times), unit: 'ms' });
    console.log(
      `${list.length} domains, ${what}: median ${median(times).toFixed(1)} ms, p95 ${quantile(times, 0.95).toFixed(1)} ms ` +
        `(${median(backlinks)} backlinks at the median, ${Math.max(...backlinks)} at most)`,
    );
  }
  for (const domain of ['site0.example', 'site1.example', 'site100.example']) {
    const { ms, backlinks, referringDomains } = await answer(domain);
    const again = await answer(domain);
    console.log(
      `${domain}, much linked to: ${ms.toFixed(0)} ms, then ${again.ms.toFixed(0)} ms, for ${backlinks} backlinks from ${referringDomains} domains`,
    );
  }
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
       where relname like 'link_index%' and relkind in ('r', 'i') and pg_relation_size(oid) > 8192 order by 1`,
  );
  console.table(sizes);
}

async function fill(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ exists: boolean }>(
    `select to_regclass('bench_progress') is not null as exists`,
  );
  if (rows[0]?.exists !== true) {
    await takeIndexesAway(client);
    await client.query('create table bench_progress as select 0 as n');
  }
  const progress = await client.query<{ n: number }>('select n from bench_progress');
  const until = performance.now() + seconds * 1_000;
  // Memoized, all pages of a million would link to the same places.
  await client.query('set synchronous_commit = off; set enable_memoize = off');
  // Its values are given: the expression is a third of what a row costs.
  await client.query('alter table link_index_links alter column followed drop expression if exists');
  let have = progress.rows[0]?.n ?? 0;
  for (; have < millions && performance.now() < until; have++) {
    await client.query('begin');
    await addMillion(client, have);
    await client.query(`update bench_progress set n = ${have + 1}`);
    await client.query('commit');
  }
  console.log(`${have} million links`);
  return have;
}

const home = givenHome ?? (await createTestHome());
try {
  await withDatabase({ ...process.env, QUARRY_HOME: home }, async ({ databaseUrl }) => {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    if ((await fill(client)) >= millions) {
      await makeIndexes(client);
      await makeRanks(client);
      await makeGraph(client);
      await describe(client);
      await measure(databaseUrl, client);
    }
    await client.end();
  });
} finally {
  if (givenHome === undefined) await rm(home, { recursive: true, force: true });
}
