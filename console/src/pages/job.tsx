import { call } from '../api/client.ts';
import type { Job } from '../api/answers.ts';
import { Badge } from '../parts/badge.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import { ownPath } from '../parts/own-path.ts';
import { Card, Loading, Page } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { Result } from '../playground/result.tsx';
import { go } from '../route.ts';
import { isLive, Progress } from './job-table.tsx';
import { useJob } from './use-job.ts';

const bytes = new Intl.NumberFormat('en', { style: 'unit', unit: 'kilobyte', maximumFractionDigits: 1 });

function Facts({ job }: { job: Job }) {
  return (
    <dl className="facts">
      <dt>Status</dt>
      <dd>
        <Badge status={job.status} /> <Progress job={job} />
      </dd>
      <dt>Id</dt>
      <dd>
        <code>{job.id}</code>
      </dd>
      <dt>Accepted</dt>
      <dd>
        <Time at={job.createdAt} withDate />
      </dd>
      <dt>Ended</dt>
      <dd>
        <Time at={job.finishedAt} none="not yet" withDate />
      </dd>
      <dt>Kept until</dt>
      <dd>
        <Time at={job.expiresAt} none="known once it has ended" withDate />
      </dd>
      <dt>Attempts</dt>
      <dd>{job.attempts}</dd>
    </dl>
  );
}

export function JobPage({ id }: { id: string }) {
  const loaded = useJob(id, 5_000);
  const job = loaded.data?.data;
  if (job === undefined) {
    return <Page title="Job">{loaded.loading ? <Loading /> : <Failure error={loaded.error} />}</Page>;
  }
  const remove = async () => {
    await call(`/api/proxy/jobs/${id}`, { method: 'DELETE' });
    if (isLive(job)) loaded.reload();
    else go('jobs');
  };
  return (
    <Page
      title={`Job ${job.operation}`}
      actions={
        job.status === 'expired' ? null : isLive(job) ? (
          <Confirm
            label="Cancel"
            of="this job"
            title="Cancel this job?"
            action="Cancel the job"
            danger
            onConfirm={remove}
          >
            <p>What it has done so far is lost; its use of the allowance stays counted.</p>
          </Confirm>
        ) : (
          <Confirm
            label="Delete"
            of="this job's result"
            title="Delete the result?"
            action="Delete"
            danger
            onConfirm={remove}
          >
            <p>The result and its files are deleted for good.</p>
          </Confirm>
        )
      }
    >
      <Failure error={loaded.error} />
      <Card title="Job">
        <Facts job={job} />
      </Card>
      {job.error === undefined ? null : (
        <Notice kind="error">
          <strong>{job.error.title}.</strong> {job.error.detail}
          <p className="fine">
            <code>{job.error.code}</code>
          </p>
        </Notice>
      )}
      {job.files.length === 0 ? null : (
        <Card title="Files">
          <ul className="files">
            {job.files.map((file) => (
              <li key={file.name}>
                <a href={ownPath(file.url)} target="_blank" rel="noreferrer">
                  {file.name}
                </a>{' '}
                <span className="fine">
                  {file.contentType}, {bytes.format(file.bytes / 1_000)}
                </span>
              </li>
            ))}
          </ul>
        </Card>
      )}
      {job.result === undefined ? null : (
        <Card title="Result">
          <Result data={job.result} text={JSON.stringify(job.result, null, 2)} />
        </Card>
      )}
    </Page>
  );
}
