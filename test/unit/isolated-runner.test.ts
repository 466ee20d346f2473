import { expect, test } from 'vitest';
import { createIsolatedRunner } from '../../src/workers/jobs/isolated-runner.ts';

test('a process that cannot be started leaves its job to be dispatched again, and keeps no slot', async () => {
  const blamed: string[] = [];
  const blame = async ({ id }: { id: string }) => void blamed.push(id);
  const runner = createIsolatedRunner({ queues: ['http'], onDeath: blame, onSharedDeath: blame });
  const { execPath } = process;
  process.execPath = '/no/such/node';
  try {
    for (let n = 0; n < 6; n++) expect(await runner.run(`job ${n}`, 'a group')).toBe(false);
  } finally {
    process.execPath = execPath;
  }
  expect(blamed).toEqual([]);
});
