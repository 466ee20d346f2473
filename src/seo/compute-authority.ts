import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { finishDataset, openBatch, takeDataset } from './dataset-store.ts';
import { createGrowingGraph, type GrowingGraph } from './growing-graph.ts';
import { computePageRank, positionsOf } from './pagerank.ts';

export interface AuthorityResult {
  domains: number;
  links: number;
}

const lock = `hashtext('quarry seo authority')`;
const rowsAtATime = 10_000;

/** Links between domains that at least one followed link makes. */
async function readGraph(client: pg.Client): Promise<GrowingGraph> {
  // The index has the rows in order already; a sort of all of them would need their size on disk again.
  await client.query('set enable_seqscan = off; set enable_sort = off; set enable_hashagg = off');
  const stream = client.query(
    copyTo(`copy (
      select to_domain, from_domain from link_index_links where followed group by to_domain, from_domain
    ) to stdout`),
  );
  const graph = createGrowingGraph();
  let rest = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const tab = line.indexOf('\t');
      graph.add(line.slice(tab + 1), line.slice(0, tab));
    }
  }
  return graph;
}

async function isYounger(client: pg.Client, ms: number): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from seo_datasets
     where kind = 'link-index' and finished_at is not null and started_at > now() - $1::float8 * interval '1 millisecond'`,
    [ms],
  );
  return rowCount !== 0;
}

/**
 * Ranks the domains of the link index by PageRank, and puts the result in the place of the last one.
 * @param unlessYoungerMs a last result that is younger stays.
 * @returns null where it stays, another process does it, or the index has no links.
 */
export async function computeAuthority(
  client: pg.Client,
  unlessYoungerMs = 0,
): Promise<AuthorityResult | null> {
  const taken = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${lock}, 0) as taken`);
  if (taken.rows[0]?.taken !== true) return null;
  // Asked behind the lock: another process may just have done it.
  if (await isYounger(client, unlessYoungerMs)) return null;
  const gathered = await readGraph(client);
  const graph = gathered.graph();
  if (graph.edgeCount === 0) return null;
  const ranks = computePageRank(graph);
  const positions = positionsOf(ranks);

  const earlier = await client.query<{ id: number }>(`select id from seo_datasets where kind = 'link-index'`);
  const at = new Date().toISOString();
  const wanted = { kind: 'link-index', name: at, asOf: at.slice(0, 10), fileHash: null } as const;
  const table = 'seo_domain_ranks';
  const dataset = await takeDataset(client, table, wanted);
  const batch = await openBatch(client, dataset, { table, columns: 'domain, rank, pagerank_rank, pagerank' });
  const names = gathered.names();
  for (let start = 0; start < names.length; start += rowsAtATime) {
    const rows = names.slice(start, start + rowsAtATime).map((name, index) => {
      const position = positions[start + index];
      return `${name}\t${position}\t${position}\t${ranks[start + index]}\n`;
    });
    await batch.write(rows.join(''));
  }
  await batch.commit({ offset: 0, rows: names.length, skipped: 0 });
  await finishDataset(
    client,
    table,
    dataset.id,
    earlier.rows.map(({ id }) => id),
  );
  return { domains: names.length, links: graph.edgeCount };
}
