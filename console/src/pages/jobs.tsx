import { useState } from 'react';
import { call } from '../api/client.ts';
import type { Envelope, Job, JobPage } from '../api/answers.ts';
import { useJobChanges } from '../api/job-feed.ts';
import { useLoad } from '../api/use-load.ts';
import { Failure } from '../parts/notice.tsx';
import { type Cursors, Pager } from '../parts/pager.tsx';
import { Card, Page } from '../parts/page.tsx';
import { StatusFilter } from '../parts/status-filter.tsx';
import { WhenLoaded } from '../parts/when-loaded.tsx';
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
  useJobChanges(jobs.refresh);
  return (
    <Page title="Jobs" intro="Each call that a worker runs is a job. Results are kept for some days.">
      <StatusFilter
        statuses={statuses}
        value={status}
        onChange={(chosen) => {
          setStatus(chosen);
          setCursors([]);
        }}
      />
      <Failure error={jobs.error} />
      <Card>
        <WhenLoaded from={jobs}>{({ data }) => <JobTable jobs={data.jobs} />}</WhenLoaded>
      </Card>
      <Pager cursors={cursors} next={jobs.data?.data.nextCursor} onChange={setCursors} />
    </Page>
  );
}
