import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { FoundJob } from '../../src/api/find-job.ts';
import { answerJob, runJob } from '../../src/api/mcp/run-job.ts';
import type { McpCall } from '../../src/api/mcp/tool.ts';

const page = (characters: number) =>
  Buffer.from(
    JSON.stringify({ title: null, finalUrl: 'https://example.com/', text: 'x'.repeat(characters) }),
  );

const rowOf = (result: FoundJob['result'], userId = 'a') =>
  ({
    id: 'one',
    user_id: userId,
    operation: 'web.extract',
    status: 'succeeded',
    warnings: null,
    files: null,
    expires_at: null,
    result,
  }) as unknown as FoundJob;

/** What it has read by a task: the bytes of each. */
function startCall() {
  const apart: number[] = [];
  let paused = 0;
  const call = {
    deps: {
      tasks: {
        async run(_task: unknown, { stored }: { stored: Buffer }) {
          expect(paused).toBeGreaterThan(0);
          apart.push(stored.length);
          return 'read';
        },
      },
    },
    presenter: {
      bytesOf: (row: FoundJob) => row.result,
      dataOf: (row: FoundJob) => JSON.parse(String(row.result)) as unknown,
    },
    caller: { principal: { userId: 'a' } },
    origin: '',
    async pause(wait: () => Promise<unknown>) {
      paused++;
      try {
        return await wait();
      } finally {
        paused--;
      }
    },
    signal: new AbortController().signal,
  } as unknown as McpCall;
  return { apart, call };
}

test('all but a small result is read in a process of its own: words are counted in milliseconds', async () => {
  const { apart, call } = startCall();
  await answerJob(call, rowOf(page(1_000)), { maxTokens: 1_000 });
  expect(apart).toEqual([]);
  await answerJob(call, rowOf(page(5_000)), { maxTokens: 1_000 });
  expect(apart).toHaveLength(1);
});

test('of the large results of a user one at a time is held in memory', async () => {
  const { call } = startCall();
  let held = 0;
  let most = 0;
  const large = (userId: string) =>
    rowOf(
      {
        sizeBytes: 10_000_000,
        read: () => expect.fail('it is loaded'),
        async load() {
          most = Math.max(most, ++held);
          await nextTurn();
          held--;
          return page(5_000);
        },
      },
      userId,
    );
  await Promise.all(['a', 'a', 'a'].map((user) => answerJob(call, large(user), { maxTokens: 1_000 })));
  expect(most).toBe(1);
});

test('for who has gone nothing is submitted', async () => {
  const { call } = startCall();
  const left = {
    ...call,
    deps: { catalog: { findQueued: () => ({}) } },
    acceptJob: () => expect.fail('a use is taken'),
    signal: AbortSignal.abort(new Error('gone')),
  } as unknown as McpCall;
  await expect(runJob(left, 'web.extract', {}, { maxTokens: 1_000 })).rejects.toThrow('gone');
});
