import { type FormEvent, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import type { Delivery, DeliveryPage, WebhookSecret } from '../api/answers.ts';
import { useLoad } from '../api/use-load.ts';
import { Badge } from '../parts/badge.tsx';
import { Code } from '../parts/code.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import { type Cursors, Pager } from '../parts/pager.tsx';
import { Card, Empty, Page } from '../parts/page.tsx';
import { StatusFilter } from '../parts/status-filter.tsx';
import { WhenLoaded } from '../parts/when-loaded.tsx';
import { Time } from '../parts/time.tsx';
import { counted } from '../parts/words.ts';

const statuses: readonly Delivery['status'][] = ['pending', 'delivered', 'failed', 'stopped'];

function Secret() {
  const [shown, setShown] = useState(false);
  const secret = useLoad(
    async (signal) => (shown ? await call<WebhookSecret>('/api/webhooks/secret', { signal }) : null),
    [shown],
  );
  return (
    <Card title="Secret">
      <p>Each message is signed with it; libraries of Standard Webhooks check the signature.</p>
      <Failure error={secret.error} />
      {secret.data === null ? null : <Code text={secret.data.secret} label="the secret" wrap />}
      <div className="actions">
        <button type="button" className="button small" aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide it' : 'Show it'}
        </button>
        <Confirm
          label="Rotate"
          of="the secret"
          title="Rotate the secret?"
          action="Rotate"
          onConfirm={async () => {
            await call('/api/webhooks/secret/rotate', { method: 'POST', body: {} });
            setShown(true);
            secret.reload();
          }}
        >
          <p>A new one is made. Both sign for 24 hours, so that receivers can change in peace.</p>
        </Confirm>
      </div>
    </Card>
  );
}

function TestForm({ onSent }: { onSent(): void }) {
  const [error, setError] = useState<unknown>(null);
  const [sent, setSent] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const url = String(new FormData(event.currentTarget).get('url')).trim();
    setError(null);
    setSent(false);
    try {
      await call('/api/webhooks/test', { method: 'POST', body: { url } });
      setSent(true);
      onSent();
    } catch (failure) {
      setError(failure);
    }
  }

  return (
    <Card title="Send a test">
      <form onSubmit={(event) => void submit(event)}>
        <Field label="URL" hint="A message of type webhook.test is sent to it once." required>
          {(attributes) => <input {...attributes} name="url" type="url" autoComplete="off" />}
        </Field>
        <Failure error={error} />
        {sent ? <Notice kind="success">It is on its way; what comes of it is in the list.</Notice> : null}
        <button type="submit" className="button">
          Send
        </button>
      </form>
    </Card>
  );
}

/** What came of the tries, in a few words. */
function Tries({ of: { attempts, nextAttemptAt } }: { of: Delivery }) {
  const last = attempts.at(-1);
  if (last === undefined) return <span className="quiet">not tried yet</span>;
  const noAnswer = last.error?.replaceAll('_', ' ') ?? 'no answer';
  return (
    <span>
      {last.status === null ? noAnswer : `answered ${last.status}`}
      <br />
      <span className="fine">
        {counted(attempts.length, 'try', 'tries')}
        {nextAttemptAt === null ? null : (
          <>
            , next <Time at={nextAttemptAt} />
          </>
        )}
      </span>
    </span>
  );
}

function DeliveryRow({ delivery, onChanged }: { delivery: Delivery; onChanged(): void }) {
  return (
    <tr>
      <th scope="row">{delivery.url}</th>
      <td data-label="Message">{delivery.type}</td>
      <td data-label="Status">
        <Badge status={delivery.status} />
      </td>
      <td data-label="Last try">
        <Tries of={delivery} />
      </td>
      <td data-label="Created">
        <Time at={delivery.createdAt} />
      </td>
      <td data-label="Actions">
        <Confirm
          label="Redeliver"
          of={`message ${delivery.id}`}
          title="Deliver it again?"
          action="Deliver"
          onConfirm={async () => {
            await call(`/api/webhooks/deliveries/${delivery.id}/redeliver`, { method: 'POST', body: {} });
            onChanged();
          }}
        >
          <p>It is sent at once to {delivery.url}, with the id that it had.</p>
        </Confirm>
      </td>
    </tr>
  );
}

export function Webhooks() {
  const [status, setStatus] = useState('');
  const [cursors, setCursors] = useState<Cursors>([]);
  const cursor = cursors.at(-1);
  const query = new URLSearchParams({
    limit: '50',
    ...(status === '' ? {} : { status }),
    ...(cursor === undefined ? {} : { cursor }),
  }).toString();
  const page = useLoad(
    (signal) => call<DeliveryPage>(`/api/webhooks/deliveries?${query}`, { signal }),
    [query],
    5_000,
  );
  // What stands below the list would jump when that comes first.
  const isThere = useRef(false);
  isThere.current ||= !page.loading;
  return (
    <Page
      title="Webhooks"
      intro={
        <>
          A call with the header <code>X-Webhook-Url</code> has the end of its job told to that address.
        </>
      }
    >
      <StatusFilter
        statuses={statuses}
        value={status}
        onChange={(chosen) => {
          setStatus(chosen);
          setCursors([]);
        }}
      />
      <Failure error={page.error} />
      <Card title="Deliveries of the last week">
        <WhenLoaded from={page}>
          {({ deliveries }) =>
            deliveries.length === 0 ? (
              <Empty>No messages.</Empty>
            ) : (
              <table className="stacked">
                <thead>
                  <tr>
                    <th scope="col">Receiver</th>
                    <th scope="col">Message</th>
                    <th scope="col">Status</th>
                    <th scope="col">Last try</th>
                    <th scope="col">Created</th>
                    <th scope="col">Actions</th>
                  </tr>
                </thead>
                <tbody>
                  {deliveries.map((delivery) => (
                    <DeliveryRow key={delivery.id} delivery={delivery} onChanged={page.reload} />
                  ))}
                </tbody>
              </table>
            )
          }
        </WhenLoaded>
        <Pager cursors={cursors} next={page.data?.nextCursor} onChange={setCursors} />
      </Card>
      {isThere.current ? (
        <>
          <TestForm onSent={page.reload} />
          <Secret />
        </>
      ) : null}
    </Page>
  );
}
