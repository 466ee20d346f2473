import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import Koa from 'koa';
import { expect, test } from 'vitest';
import type { ApiDeps } from '../../src/api/deps.ts';
import type { Feed } from '../../src/api/feed/feed.ts';
import { serveWebSocket } from '../../src/api/feed/serve-websocket.ts';
import type { Listener, Subscription } from '../../src/api/feed/subscriber.ts';
import type { ApiState } from '../../src/api/http/context.ts';
import { uncounted } from '../../src/api/user-gate.ts';
import { AppError } from '../../src/shared/errors.ts';
import { createId } from '../../src/shared/ids.ts';
import { createLog } from '../../src/shared/log.ts';
import { openWebSocket } from '../support/feed-client.ts';

/** Longer than the feed waits for what a client says first. */
const longMs = 700;

/** A connection to a feed that notes what it is told to do; `find` looks up the jobs that are subscribed to. */
async function connect(disposables: AsyncDisposableStack, find: () => Promise<unknown>) {
  const done: (Subscription | 'follow')[] = [];
  const session = { user: { id: 'user', email: '', name: '', role: 'user' }, session: { id: 'session' } };
  const feed = {
    open: async (listener: Listener) => ({
      listener,
      waiting: 0,
      subscribe: (subscription: Subscription) => void done.push(subscription),
      follow: () => void done.push('follow'),
    }),
    close: () => undefined,
    end: () => expect.fail('is ended'),
  };
  let begun = 0;
  const deps = {
    auth: {
      $context: Promise.resolve({ authCookies: { sessionToken: { name: 'session' } } }),
      api: { getSession: async () => ({ headers: new Headers(), response: session }) },
    },
    config: {},
    findClientAddress: () => '192.0.2.1',
    gate: {
      run: ({ caller }: { caller: string }, _gone: AbortSignal, work: (turn: unknown) => unknown) =>
        caller === 'user:user' && begun++ > 0 ? find() : work(uncounted),
    },
    log: createLog({ level: 'silent', name: 'test' }),
  } as unknown as ApiDeps;
  const server = disposables.adopt(createServer(), (it) => void it.close());
  disposables.use(serveWebSocket(server, new Koa<ApiState>(), deps, feed as unknown as Feed));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = await openWebSocket(`http://127.0.0.1:${port}`, { headers: { Cookie: 'session=x' } });
  return { client: disposables.adopt(client, (it) => it.close()), done };
}

const jobId = createId();

test('while a job that is subscribed to is looked up, nothing of others is told', async () => {
  await using disposables = new AsyncDisposableStack();
  const { client, done } = await connect(disposables, async () => {
    await sleep(longMs);
    return new Map([[jobId, { user_id: 'user' }]]);
  });
  client.send({ type: 'subscribe', jobId });
  await expect.poll(() => done, { timeout: 10_000 }).toEqual([{ jobId }]);
});

test('a subscription that is too much for now is answered, and the feed begins all the same', async () => {
  await using disposables = new AsyncDisposableStack();
  const { client, done } = await connect(disposables, () =>
    Promise.reject(new AppError('overloaded', 'Again in a moment.')),
  );
  client.send({ type: 'subscribe', jobId });
  expect(await client.find(({ type }) => type === 'error')).toMatchObject({ code: 'overloaded' });
  expect(done).toEqual([]);
  await expect.poll(() => done, { timeout: 10_000 }).toEqual(['follow']);
  client.send({ type: 'subscribe', after: 7 });
  await expect.poll(() => done, { timeout: 10_000 }).toEqual(['follow', { after: 7 }]);
});
