import { sql } from 'kysely';
import type { Db } from './client.ts';
import { type SeenLink, type SeenPage, upsertLinks, upsertPages } from './link-index.ts';
import { liveStatuses } from '../jobs/find-jobs.ts';

/** Of about half a megabyte each. */
const batchesAtOnce = 8;

/** @returns the batches of the job's visits, as they were recorded: pages of rows in the order in which they lie. */
export async function* listVisits(db: Db, jobId: string): AsyncIterable<string> {
  for (let after = '(0,0)', isMore = true; isMore;) {
    const { rows } = await sql<{ place: string; visits: string }>`
      select ctid::text as place, visits from crawl_visits
      where job_id = ${jobId}::uuid and ctid > ${after}::tid
      order by ctid limit ${batchesAtOnce}`.execute(db);
    for (const { visits } of rows) yield visits;
    after = rows.at(-1)?.place ?? after;
    isMore = rows.length === batchesAtOnce;
  }
}

export interface VisitBatch {
  /** JSON. */
  visits: string;
  /** For the link index; the pages that `links` start from are among `pages`. */
  pages: readonly SeenPage[];
  links: readonly SeenLink[];
}

/**
 * Keeps a batch of a job's visits and adds what they saw to the link index: both in one statement, so that a
 * visit that no rerun makes again is never missing there. A job that is deleted meanwhile has nothing to keep.
 */
export async function recordVisits(db: Db, jobId: string, batch: VisitBatch): Promise<void> {
  await sql`-- prepared: record-visits
    with kept as (
      insert into crawl_visits (job_id, visits)
      select id, ${batch.visits}::text from jobs where id = ${jobId}::uuid
    ),
    pages as (${upsertPages(batch.pages)})
    ${upsertLinks(batch.links)}`.execute(db);
}

/** Nobody reads the visits of a job that has ended. */
export async function deleteVisitsOfEndedJobs(db: Db): Promise<void> {
  await db
    .deleteFrom('crawl_visits')
    .where('job_id', 'in', (eb) =>
      eb
        .selectFrom('jobs')
        .select('id')
        .where('status', 'not in', liveStatuses)
        .where('id', 'in', (visits) => visits.selectFrom('crawl_visits').select('job_id').distinct()),
    )
    .execute();
}
