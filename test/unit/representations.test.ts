import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import Koa from 'koa';
import { afterAll, expect, test } from 'vitest';
import type { ApiDeps } from '../../src/api/deps.ts';
import type { ApiContext } from '../../src/api/http/context.ts';
import { answerRepresentation, type Represented } from '../../src/api/representations.ts';
import { caption } from '../../src/shared/contracts/video/caption.ts';
import { convertMarkdown } from '../../src/shared/contracts/web/convert-markdown.ts';
import type { QueuedOperation } from '../../src/shared/operation.ts';
import { createTaskPool } from '../../src/shared/tasks/task-pool.ts';

const tasks = createTaskPool({ processes: 1 });
afterAll(() => tasks[Symbol.asyncDispose]());

const app = new Koa();
const deps = { tasks, config: { EXTENSIONS: [] } } as unknown as ApiDeps;
const row = { id: 'job', user_id: 'user' } as Represented['row'];

async function answer(operation: QueuedOperation, accepted: string[], data: unknown, isLarge: boolean) {
  const request = new IncomingMessage(new Socket());
  const ctx = app.createContext(request, new ServerResponse(request)) as unknown as ApiContext;
  let reads = 0;
  const read = async () => {
    reads++;
    return data;
  };
  const isAnswered = await answerRepresentation(ctx, deps, operation, accepted, {
    row,
    data: read,
    output: read,
    largeJson: async () => (isLarge ? Buffer.from(JSON.stringify(data)) : null),
  });
  return { isAnswered, reads, type: ctx.response.type, text: String(ctx.body) };
}

const segments = Array.from({ length: 5_000 }, (_, n) => ({
  startSeconds: n,
  endSeconds: n + 1,
  text: `“${n}”`,
}));

test.each(['text/vtt', 'application/x-subrip', 'text/plain'])(
  'a large result is read and written as %s in another process, as a small one is here',
  async (type) => {
    const here = await answer(caption, [type], { segments }, false);
    const apart = await answer(caption, [type], { segments }, true);
    expect(here).toMatchObject({ isAnswered: true, reads: 1 });
    expect(apart).toEqual({ ...here, reads: 0 });
    expect(apart.text).toContain('“4999”');
  },
);

test('a large result that has no such text is answered in the next media type', async () => {
  const types = ['text/markdown', 'application/json'];
  expect(await answer(convertMarkdown, types, { markdown: null }, true)).toMatchObject({ isAnswered: false });
});
