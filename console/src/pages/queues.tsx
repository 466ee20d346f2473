import { call, ProblemError } from '../api/client.ts';
import type { Readiness } from '../api/answers.ts';
import { useLoad } from '../api/use-load.ts';
import { Badge } from '../parts/badge.tsx';
import { Failure } from '../parts/notice.tsx';
import { Card, Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/when-loaded.tsx';

/** One that is not ready says so by a 503, with the same body. */
async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  const response = await fetch('/readyz', { signal });
  const body: unknown = await response.json().catch(() => null);
  if (typeof body === 'object' && body !== null && 'queues' in body) return body as Readiness;
  return await call<Readiness>('/readyz', { signal }).catch((error: unknown) => {
    throw error instanceof ProblemError ? error : new TypeError('no answer');
  });
}

export function Queues() {
  const health = useLoad(readReadiness, [], 3_000);
  return (
    <Page
      title="Queues"
      intro="What waits and runs at this moment."
      actions={
        <a className="button" href="/admin/queues">
          Bull Board
        </a>
      }
    >
      <Failure error={health.error} />
      <WhenLoaded from={health}>
        {(now) => (
          <>
            <Card title="Parts">
              <dl className="facts">
                <dt>Service</dt>
                <dd>
                  <Badge status={now.status} />
                </dd>
                {(['postgres', 'redis', 'storage'] as const).map((part) => (
                  <div key={part} className="fact">
                    <dt>{{ postgres: 'Postgres', redis: 'Redis', storage: 'Storage of results' }[part]}</dt>
                    <dd>
                      <Badge status={now[part]} />
                    </dd>
                  </div>
                ))}
              </dl>
            </Card>
            <Card title="Queues">
              <table className="stacked">
                <thead>
                  <tr>
                    <th scope="col">Queue</th>
                    <th scope="col" className="number">
                      Workers
                    </th>
                    <th scope="col" className="number">
                      Waiting
                    </th>
                    <th scope="col" className="number">
                      Running
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {Object.entries(now.queues ?? {}).map(([name, queue]) => (
                    <tr key={name}>
                      <th scope="row">
                        <code>{name}</code>
                      </th>
                      <td data-label="Workers" className="number">
                        {queue.workers === 0 ? <Badge status="down" /> : queue.workers}
                      </td>
                      <td data-label="Waiting" className="number">
                        {queue.waiting}
                      </td>
                      <td data-label="Running" className="number">
                        {queue.active}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Card>
          </>
        )}
      </WhenLoaded>
    </Page>
  );
}
