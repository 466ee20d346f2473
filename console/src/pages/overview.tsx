import { useRef } from 'react';
import { call } from '../api/client.ts';
import type { Envelope, JobPage, KeyList, KeyUsage } from '../api/answers.ts';
import type { SignedInUser } from '../api/session.ts';
import { useJobChanges } from '../api/job-feed.ts';
import { useLoad } from '../api/use-load.ts';
import { useOwnKey } from '../api/own-key.ts';
import { Meter } from '../parts/meter.tsx';
import { Failure } from '../parts/notice.tsx';
import { Card, Empty, Loading, Page } from '../parts/page.tsx';
import { numberOf } from '../parts/words.ts';
import { CreateKey } from './create-key.tsx';
import { JobTable } from './job-table.tsx';
import { to } from '../route.ts';

function FirstSteps({ hasKey, onCreated }: { hasKey: boolean; onCreated(): void }) {
  const isReady = useOwnKey() !== '';
  return (
    <Card title="From here to the first answer">
      <ol className="steps">
        <li>
          <div>
            <strong>Create a key.</strong> It is shown once, and the playground uses it at once.
            {isReady ? ' Done: this tab has one.' : ''}
            {hasKey && !isReady ? ' You have keys, but nobody can show you theirs again.' : ''}
          </div>
          <CreateKey onCreated={onCreated} isNext={!isReady} />
        </li>
        <li>
          <div>
            <strong>Make the first call.</strong> Scrape a page, or take its picture.
          </div>
          <div className="actions">
            <a className={isReady ? 'button primary' : 'button'} href={to('playground', 'web.scrape')}>
              Scrape a page
            </a>
            <a className="button" href={to('playground', 'web.screenshot')}>
              Take a picture
            </a>
          </div>
        </li>
      </ol>
    </Card>
  );
}

function Allowance({ list }: { list: KeyList }) {
  const active = list.keys.filter((one) => one.status === 'active');
  const [key] = active.toSorted((a, b) => (b.lastUsedAt ?? '').localeCompare(a.lastUsedAt ?? ''));
  const usage = useLoad(
    async (signal) =>
      key === undefined ? null : await call<KeyUsage>(`/api/keys/${key.id}/usage`, { signal }),
    [key?.id],
    10_000,
  );
  if (key === undefined) return <Empty>You have no active key.</Empty>;
  if (usage.data === null) return usage.loading ? <Loading /> : <Failure error={usage.error} />;
  const { used, limit } = usage.data.rateLimit;
  return (
    <>
      <Failure error={usage.error} />
      <Meter used={used} limit={limit} label={`Requests of the last hour with “${key.name}”`} />
      <p className="fine">
        {numberOf(usage.data.dailyUsage.at(-1)?.count ?? 0)} today (UTC),{' '}
        {numberOf(usage.data.totalUsageCount)} since it was made.{' '}
        <a href={to('usage', key.id)}>Usage by day and operation</a>
      </p>
    </>
  );
}

export function Overview({ user }: { user: SignedInUser }) {
  const keys = useLoad((signal) => call<KeyList>('/api/keys', { signal }), []);
  const jobs = useLoad((signal) => call<Envelope<JobPage>>('/api/proxy/jobs?limit=5', { signal }), [], 5_000);
  useJobChanges(jobs.refresh);
  // The first steps stay while they are taken: the new key is shown there, once.
  const wasNew = useRef(false);
  wasNew.current ||= keys.data?.keys.length === 0 || jobs.data?.data.jobs.length === 0;
  return (
    <Page title="Overview" intro={`Welcome, ${user.name}.`}>
      <Failure error={keys.error ?? jobs.error} />
      {keys.data === null || jobs.data === null ? (
        keys.loading || jobs.loading ? (
          <Loading />
        ) : null
      ) : (
        <>
          {wasNew.current ? <FirstSteps hasKey={keys.data.keys.length > 0} onCreated={keys.reload} /> : null}
          <Card title="Allowance">
            <Allowance list={keys.data} />
          </Card>
          <Card title="Latest jobs" actions={<a href={to('jobs')}>All jobs</a>}>
            <JobTable jobs={jobs.data.data.jobs} />
          </Card>
        </>
      )}
    </Page>
  );
}
