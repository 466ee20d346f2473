import type { Job } from '../api/answers.ts';
import { Badge } from '../parts/badge.tsx';
import { Empty } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { to } from '../route.ts';

export const isLive = ({ status }: Pick<Job, 'status'>) => status === 'queued' || status === 'running';

/** How far a job is, or was when it ended early; nothing where nobody knows. */
export function Progress({ job }: { job: Job }) {
  const { done, total, note } = job.progress;
  if (job.status === 'succeeded' || job.status === 'expired') return null;
  if (done === null) return <span className="quiet">{note ?? ''}</span>;
  return (
    <span className="progress">
      {total === null ? null : <progress max={total} value={done} aria-label={`${done} of ${total} done`} />}
      <span className="fine">
        {done}
        {total === null ? '' : ` of ${total}`} {note}
      </span>
    </span>
  );
}

export function JobTable({ jobs }: { jobs: readonly Job[] }) {
  if (jobs.length === 0) return <Empty>No jobs. The first call makes one.</Empty>;
  return (
    <table className="stacked">
      <thead>
        <tr>
          <th scope="col">Operation</th>
          <th scope="col">Status</th>
          <th scope="col">Progress</th>
          <th scope="col">Accepted</th>
          <th scope="col" className="number">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => (
          <tr key={job.id}>
            <th scope="row">
              <a href={to('jobs', job.id)}>
                <code>{job.operation}</code>
                <span className="for-readers"> job {job.id}</span>
              </a>
            </th>
            <td data-label="Status">
              <Badge status={job.status} />
            </td>
            <td data-label="Progress">
              <Progress job={job} />
            </td>
            <td data-label="Accepted">
              <Time at={job.createdAt} />
            </td>
            <td data-label="Took" className="number">
              {durationOf(job)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function durationOf({ startedAt, finishedAt }: Job): string {
  if (startedAt === null || finishedAt === null) return '';
  const ms = Date.parse(finishedAt) - Date.parse(startedAt);
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
