import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import Koa from 'koa';
import { afterAll, expect, test } from 'vitest';
import type { ApiDeps } from '../../src/api/deps.ts';
import { clientGone } from '../../src/api/http/client-gone.ts';
import type { ApiContext, Principal } from '../../src/api/http/context.ts';
import { answerRepresentation, type Represented } from '../../src/api/representations.ts';
import { caption } from '../../src/shared/contracts/video/caption.ts';
import { convertMarkdown } from '../../src/shared/contracts/web/convert-markdown.ts';
import { AppError } from '../../src/shared/errors.ts';
import type { QueuedOperation } from '../../src/shared/operation.ts';
import { createTaskPool } from '../../src/shared/tasks/task-pool.ts';

const tasks = createTaskPool({ processes: 1 });
afterAll(() => tasks[Symbol.asyncDispose]());

const app = new Koa();
const deps = { tasks, config: { EXTENSIONS: [] } } as unknown as ApiDeps;
const row = { id: 'job', user_id: 'user' } as Represented['row'];

type Stored = Represented['stored'];

const responseOf = () => new ServerResponse(new IncomingMessage(new Socket()));

async function answer(
  operation: QueuedOperation,
  accepted: string[],
  data: unknown,
  stored: Stored,
  by = deps,
  keyId = 'key',
  response = responseOf(),
) {
  const ctx = app.createContext(response.req, response) as unknown as ApiContext;
  ctx.state.principal = { keyId } as Principal;
  let reads = 0;
  const read = async () => {
    reads++;
    return data;
  };
  const isAnswered = await answerRepresentation(ctx, by, operation, accepted, {
    row,
    data: read,
    output: read,
    stored,
  });
  return { isAnswered, reads, type: ctx.response.type, text: String(ctx.body) };
}

const segments = Array.from({ length: 50_000 }, (_, n) => ({
  startSeconds: n,
  endSeconds: n + 1,
  text: `“${n}”`,
}));

test.each(['text/vtt', 'application/x-subrip', 'text/plain'])(
  'a large result is read and written as %s in another process, as a small one is here',
  async (type) => {
    const here = await answer(caption, [type], { segments }, null);
    const apart = await answer(caption, [type], { segments }, Buffer.from(JSON.stringify({ segments })));
    expect(here).toMatchObject({ isAnswered: true, reads: 1 });
    expect(apart).toEqual({ ...here, reads: 0 });
    expect(apart.text).toContain('“49999”');
  },
);

const mebibyte = 1024 ** 2;

test('a large result that has no such text is answered in the next media type', async () => {
  const types = ['text/markdown', 'application/json'];
  const stored = Buffer.from(JSON.stringify({ markdown: null, title: ' '.repeat(2 * mebibyte) }));
  expect(await answer(convertMarkdown, types, null, stored)).toMatchObject({ isAnswered: false, reads: 0 });
});

/** What is done with a result that is read as it is sent. */
function largeResult(sizeBytes: number, load: () => Promise<Buffer | null>): Stored {
  return { sizeBytes, load, read: () => expect.fail('is read in parts') };
}

const tooLarge = new AppError('target_too_large', 'It takes more memory than there is.');

test.each([
  ['that is larger than a process holds', largeResult(128 * mebibyte, () => expect.fail('is loaded')), deps],
  [
    'that takes more than a process has',
    Buffer.alloc(3 * mebibyte),
    { ...deps, tasks: { ...tasks, run: () => Promise.reject(tooLarge) } },
  ],
])('a result %s is made no text, here neither', async (_what, stored, by) => {
  const types = ['text/vtt', 'application/json'];
  expect(await answer(caption, types, null, stored, by)).toMatchObject({ isAnswered: false, reads: 0 });
  await expect(answer(caption, ['text/vtt'], null, stored, by)).rejects.toMatchObject({
    code: 'not_acceptable',
  });
});

test('of one user one large result is held at a time, until its text is there', async () => {
  let held = 0;
  let most = 0;
  const stored = largeResult(10 * mebibyte, async () => {
    most = Math.max(most, ++held);
    return Buffer.alloc(10);
  });
  const run = async () => {
    await nextTurn();
    held--;
    return new Uint8Array(1);
  };
  const by = { ...deps, tasks: { ...tasks, run } } as unknown as ApiDeps;
  const all = Array.from({ length: 20 }, () => answer(caption, ['text/vtt'], null, stored, by));
  expect((await Promise.all(all)).every(({ isAnswered }) => isAnswered)).toBe(true);
  expect(most).toBe(1);
});

test('keys take turns at having text made, and who leaves waits no longer', async () => {
  const over = Promise.withResolvers<Uint8Array>();
  const order: string[] = [];
  const by = { ...deps, tasks: { ...tasks, run: () => over.promise } } as unknown as ApiDeps;
  const ask = (key: string, response = responseOf()) => {
    const load = async () => {
      order.push(key);
      return Buffer.alloc(10);
    };
    return answer(caption, ['text/vtt'], null, largeResult(10 * mebibyte, load), by, key, response);
  };
  const all = Array.from({ length: 20 }, () => ask('one'));
  all.push(ask('other'));
  const leaving = responseOf();
  const left = ask('gone', leaving);
  leaving.destroy().emit('close');
  await expect(left).rejects.toBe(clientGone);
  over.resolve(new Uint8Array(1));
  await Promise.all(all);
  expect(order.indexOf('other')).toBeLessThan(3);
  expect(order).toHaveLength(21);
});

test('a result that is deleted before it is read is not there any more', async () => {
  const stored = largeResult(10 * mebibyte, async () => null);
  await expect(answer(caption, ['text/vtt'], null, stored)).rejects.toMatchObject({ code: 'unavailable' });
});
