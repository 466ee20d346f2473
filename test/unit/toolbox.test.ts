import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, expectTypeOf, test } from 'vitest';
import { loadCatalog } from '../../src/shared/catalog.ts';
import { renderPage } from '../../src/shared/contracts/page/render.ts';
import { type QueuedOperation, queueNames } from '../../src/shared/operation.ts';
import type { JobHandler } from '../../src/workers/handler.ts';
import { createToolbox, type ToolsOf } from '../../src/workers/tools.ts';
import type { JobTools, ToolsContext } from '../../src/workers/tools/context.ts';

const jobTools = {
  openLease() {
    throw new Error('Nobody leaves in this test');
  },
} as Partial<JobTools> as JobTools;
/** Tools without services of their own are made of this much. */
const context = { jobTools, config: { EXTENSIONS: [] as string[] } } as ToolsContext;

test('a process makes the tools of the queues that it serves, each once, and of no other', async () => {
  const toolbox = createToolbox(['ai', 'seo'], context);
  const tools = await toolbox.of('ai');
  expect(tools.openLease).toBe(jobTools.openLease);
  expect(await toolbox.of('ai')).toBe(tools);
  for (const other of queueNames.filter((queue) => queue !== 'ai' && queue !== 'seo')) {
    await expect(toolbox.of(other)).rejects.toThrow(`does not serve the ${other} queue`);
  }
});

test('tools that cannot be made are told of at the start, and do not end the worker', async () => {
  const failures: string[] = [];
  const failing = {
    ...context,
    config: {
      EXTENSIONS: [],
      get QUARRY_HOME(): never {
        throw new Error('no data folder');
      },
    },
  } as unknown as ToolsContext;
  await createToolbox(['ai', 'browser'], failing).warmUp((queue) => void failures.push(queue));
  expect(failures).toEqual(['browser']);
});

test('a handler is given the tools of its own queue', () => {
  type ToolsGiven<Op extends QueuedOperation> = Parameters<JobHandler<Op>['run']>[2];
  expectTypeOf<ToolsGiven<typeof renderPage>>().toEqualTypeOf<ToolsOf<'browser'>>();
  expect(renderPage.queue).toBe('browser');
});

test('the Procfile serves every queue that an operation runs on', async () => {
  const procfile = await readFile(join(import.meta.dirname, '../../Procfile'), 'utf8');
  const served = new Set(
    procfile.split('\n').flatMap((line) => line.split('workers/main.ts ')[1]?.split(' ') ?? []),
  );
  const used = (await loadCatalog()).queued.map(({ queue }) => queue);
  expect([...new Set(used)].filter((queue) => !served.has(queue))).toEqual([]);
});
