import { useState } from 'react';
import { call } from '../api/client.ts';
import type { Envelope, Job, JobPage } from '../api/answers.ts';
import { useJobChanges } from '../api/job-feed.ts';
import { useLoad } from '../api/use-load.ts';
import { Field } from '../parts/field.tsx';
import { Failure } from '../parts/notice.tsx';
import { type Cursors, Pager } from '../parts/pager.tsx';
import { Card, Loading, Page } from '../parts/page.tsx';
import { JobTable } from './job-table.tsx';

const statuses: readonly Job['status'][] = [
  'queued',
  'running',
  'succeeded',
  'failed',
  'canceled',
  'expired',
];
const pageLimit = 20;

export function Jobs() {
  const [status, setStatus] = useState('');
  const [cursors, setCursors] = useState<Cursors>([]);
  const cursor = cursors.at(-1);
  const query = new URLSearchParams({
    limit: String(pageLimit),
    ...(status === '' ? {} : { status }),
    ...(cursor === undefined ? {} : { cursor }),
  }).toString();
  const jobs = useLoad(
    (signal) => call<Envelope<JobPage>>(`/api/proxy/jobs?${query}`, { signal }),
    [query],
    5_000,
  );
  useJobChanges(jobs.reload);
  const page = jobs.data?.data;
  return (
    <Page title="Jobs" intro="Each call that a worker runs is a job. Results are kept for some days.">
      <div className="filters">
        <Field label="Status" required>
          {(attributes) => (
            <select
              {...attributes}
              value={status}
              onChange={(event) => {
                setStatus(event.target.value);
                setCursors([]);
              }}
            >
              <option value="">all</option>
              {statuses.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <Failure error={jobs.error} />
      <Card>{page === undefined ? jobs.loading ? <Loading /> : null : <JobTable jobs={page.jobs} />}</Card>
      <Pager cursors={cursors} next={page?.nextCursor} onChange={setCursors} />
    </Page>
  );
}
