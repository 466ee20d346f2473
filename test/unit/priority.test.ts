import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { getPriority, setPriority } from 'node:os';
import { expect, it, vi } from 'vitest';
import { lowerPriority, raisePriority } from '../../src/shared/processes/priority.ts';

vi.mock('node:fs', { spy: true });

it('lets a process wait for others, and its session where the system counts those', async () => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const readSession = () => readFile(`/proc/${pid}/autogroup`, 'utf8').catch(() => null);
  // As Linux answers who is not root, where another session was told just before.
  vi.mocked(writeFileSync).mockImplementationOnce(() => {
    throw Object.assign(new Error('again'), { code: 'EAGAIN' });
  });
  lowerPriority(child);
  expect(getPriority(pid)).toBe(Math.min(getPriority() + 5, 19));
  if ((await readSession()) !== null) await expect.poll(readSession).toMatch(/ nice 5\n$/);
  child.kill('SIGKILL');
  await once(child, 'exit');
  // Of one that has ended.
  expect(() => lowerPriority(child)).not.toThrow();
});

function canRaise(pid: number): boolean {
  try {
    setPriority(pid, -1);
    return true;
  } catch {
    return false;
  }
}

it('raises a process and its session, as root', async () => {
  const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const readSession = () => readFile(`/proc/${pid}/autogroup`, 'utf8').catch(() => null);
  const before = [getPriority(pid), await readSession()];
  // As another user, or in a container without CAP_SYS_NICE, all stays as it is.
  const mayRaise = getPriority() <= 0 && canRaise(pid);
  raisePriority(pid, -10);
  const after = [getPriority(pid), await readSession()];
  if (!mayRaise) expect(after).toEqual(before);
  else {
    expect(after[0]).toBe(-10);
    expect(after[1] ?? 'nice -10\n').toMatch(/nice -10\n$/);
  }
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(() => raisePriority(pid, -10)).not.toThrow();
});
