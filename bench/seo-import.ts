import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { withDatabase } from '../src/embedded/with-database.ts';
import { startSeoCommand } from '../test/support/seo-command.ts';
import { domainsOf, writeCommonCrawlRanks, writeTranco } from '../test/support/seo-files.ts';
import { createTestHome } from '../test/support/service.ts';
import { tellFigure } from './figures.ts';

/**
 * Imports of a Tranco list of 1 million rows and of Common Crawl domain ranks of 10 million (or as many as the
 * argument says), by the command that operators use: rows a second from its start to its end, index and all, and the
 * most memory that its process took. Then both once more, killed half-way by SIGKILL and resumed.
 */
const rankRows = Number(process.argv[2] ?? 10_000_000);
const listRows = Math.min(1_000_000, rankRows);

async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024;
}

async function importOnce(env: Record<string, string>, args: string[], killAtRows?: number) {
  const startedAt = performance.now();
  const { child, answer } = startSeoCommand(env, 'import', ...args);
  answer.catch(() => undefined);
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, await peakMegabytes(child.pid ?? 0));
    if (killAtRows !== undefined && (await rowsStored(env)) >= killAtRows) child.kill('SIGKILL');
    await sleep(50);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const result = killAtRows === undefined ? await answer : {};
  if ('error' in result) throw new Error(String(result['error']));
  return { seconds, peak };
}

async function query(env: Record<string, string>, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: env['DATABASE_URL'] });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

const rowsStored = async (env: Record<string, string>) =>
  Number(
    (await query(env, 'select row_count from seo_datasets where finished_at is null'))[0]?.['row_count'] ?? 0,
  );

const report = (what: string, rows: number, { seconds, peak }: { seconds: number; peak: number }) => {
  tellFigure({ what: `${what}, ${rows} rows`, value: rows / seconds, unit: '/s' });
  console.log(
    `${what}: ${rows} rows in ${seconds.toFixed(1)} s, ${Math.round(rows / seconds)} rows/s, ${Math.round(peak)} MB at most`,
  );
};

const folder = await mkdtemp(join(tmpdir(), 'quarry-seo-'));
const home = await createTestHome();
try {
  const list = join(folder, 'tranco.csv');
  const ranks = join(folder, 'cc-main-2026-jan-feb-mar-domain-ranks.txt.gz');
  await writeTranco(list, domainsOf(listRows));
  await writeCommonCrawlRanks(ranks, domainsOf(rankRows));
  await withDatabase({ ...process.env, QUARRY_HOME: home }, async ({ databaseUrl }) => {
    const env = { DATABASE_URL: databaseUrl, QUARRY_HOME: home };
    report('Tranco', listRows, await importOnce(env, ['tranco', list, '--date', '2026-11-01']));
    const whole = await importOnce(env, ['commoncrawl-ranks', ranks]);
    report(`ranks (${Math.round((await stat(ranks)).size / 1e6)} MB packed)`, rankRows, whole);
    for (const [kind, file, rows] of [
      ['tranco', list, listRows],
      ['commoncrawl-ranks', ranks, rankRows],
    ] as const) {
      const again = [kind, file, '--release', 'again', '--date', '2026-03-31'];
      const killed = await importOnce(env, again, rows / 2);
      const kept = await rowsStored(env);
      const resumed = await importOnce(env, again);
      console.log(
        `${kind} killed after ${killed.seconds.toFixed(1)} s with ${kept} rows stored, resumed in ${resumed.seconds.toFixed(1)} s`,
      );
    }
    const totals = await query(
      env,
      `select d.kind, d.name, count(*)::float8 as rows, count(distinct r.domain)::float8 as domains, sum(r.rank)::float8 as ranks,
         pg_size_pretty(pg_total_relation_size(format('seo_domain_ranks_%s', d.id)::regclass)) as size
       from seo_domain_ranks r join seo_datasets d on d.id = r.dataset_id group by d.id order by d.id`,
    );
    console.table(totals);
  });
} finally {
  await rm(folder, { recursive: true });
  await rm(home, { recursive: true, force: true });
}
