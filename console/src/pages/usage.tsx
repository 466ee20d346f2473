import { useState } from 'react';
import { call } from '../api/client.ts';
import type { KeyList, KeyUsage } from '../api/answers.ts';
import { useLoad } from '../api/use-load.ts';
import { Columns, Rows } from '../parts/bars.tsx';
import { Field } from '../parts/field.tsx';
import { Meter } from '../parts/meter.tsx';
import { Failure } from '../parts/notice.tsx';
import { Card, Empty, Loading, Page } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { counted, numberOf } from '../parts/words.ts';
import { go } from '../route.ts';

function UsageOf({ usage, days }: { usage: KeyUsage; days: number }) {
  const { rateLimit, dailyUsage, byOperation, totalUsageCount } = usage;
  const total = dailyUsage.reduce((sum, { count }) => sum + count, 0);
  return (
    <>
      <Card title="Allowance">
        <Meter used={rateLimit.used} limit={rateLimit.limit} label="Requests of the last hour" />
        <p className="fine">
          {counted(rateLimit.remaining, 'request')} left.{' '}
          {rateLimit.resetAt === null ? null : (
            <>
              The oldest one stops counting <Time at={rateLimit.resetAt} />.
            </>
          )}
        </p>
      </Card>
      <Card title="By day">
        <Columns
          bars={dailyUsage.map(({ date, count }) => ({ label: date, value: count }))}
          caption={`${counted(total, 'request')} in ${days} days (UTC); ${numberOf(totalUsageCount)} since the key was made.`}
        />
      </Card>
      <Card title="By operation">
        {byOperation.length === 0 ? (
          <Empty>No requests in these days.</Empty>
        ) : (
          <Rows
            unit="Requests"
            bars={byOperation.map(({ operation, count, errors }) => ({
              label: operation,
              value: count,
              bad: errors,
            }))}
          />
        )}
      </Card>
    </>
  );
}

/** @param keyId Without one, or of a key that is gone: the first key. */
export function Usage({ keyId }: { keyId: string | undefined }) {
  const [days, setDays] = useState(7);
  const keys = useLoad((signal) => call<KeyList>('/api/keys', { signal }), []);
  const list = keys.data?.keys ?? [];
  const chosen = list.find((key) => key.id === keyId) ?? list[0];
  const usage = useLoad(
    async (signal) =>
      chosen === undefined
        ? null
        : await call<KeyUsage>(`/api/keys/${chosen.id}/usage?days=${days}`, { signal }),
    [chosen?.id, days],
    10_000,
  );
  return (
    <Page title="Usage" intro="Counted requests; one request counts once, whatever it asks for.">
      <Failure error={keys.error ?? usage.error} />
      {keys.data !== null && chosen === undefined ? <Empty>You have no keys yet.</Empty> : null}
      {chosen === undefined ? null : (
        <div className="filters">
          <Field label="Key" required>
            {(attributes) => (
              <select {...attributes} value={chosen.id} onChange={(event) => go('usage', event.target.value)}>
                {list.map((key) => (
                  <option key={key.id} value={key.id}>
                    {key.name} ({key.status})
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field label="Days" required>
            {(attributes) => (
              <select {...attributes} value={days} onChange={(event) => setDays(Number(event.target.value))}>
                {[7, 14, 30].map((count) => (
                  <option key={count} value={count}>
                    {count}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </div>
      )}
      {usage.data === null ? (
        keys.loading || usage.loading ? (
          <Loading />
        ) : null
      ) : (
        <UsageOf usage={usage.data} days={days} />
      )}
    </Page>
  );
}
