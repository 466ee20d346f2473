import { sql } from 'kysely';
import type { Db } from './client.ts';
import { liveStatuses } from './jobs.ts';

export interface StoredVisit {
  url: string;
  /** JSON. */
  visit: string;
}

export async function listVisits(db: Db, jobId: string): Promise<StoredVisit[]> {
  return await db.selectFrom('crawl_visits').select(['url', 'visit']).where('job_id', '=', jobId).execute();
}

/** A job that is deleted meanwhile has nothing to keep. */
export async function insertVisits(db: Db, jobId: string, visits: readonly StoredVisit[]): Promise<void> {
  await sql`
    insert into crawl_visits (job_id, url, visit)
    select jobs.id, fresh.* from jobs, unnest(
      ${visits.map((one) => one.url)}::text[],
      ${visits.map((one) => one.visit)}::text[]
    ) as fresh
    where jobs.id = ${jobId}
  `.execute(db);
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
