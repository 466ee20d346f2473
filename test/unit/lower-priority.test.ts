import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { expect, it } from 'vitest';
import { lowerPriority } from '../../src/shared/processes/lower-priority.ts';

it('lets a process wait for others, and its session where the system counts those', async () => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  lowerPriority(pid);
  expect(getPriority(pid)).toBe(getPriority() + 5);
  const session = await readFile(`/proc/${pid}/autogroup`, 'utf8').catch(() => null);
  if (session !== null) expect(session).toMatch(/ nice 5\n$/);
  child.kill('SIGKILL');
  await once(child, 'exit');
  // Of one that has ended.
  expect(() => lowerPriority(pid)).not.toThrow();
});
