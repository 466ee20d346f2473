import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { expect, test } from 'vitest';
import { giveWay } from '../../src/shared/processes/give-way.ts';

/** Not every Linux weighs sessions. */
const hasGroups = existsSync('/proc/self/autogroup');
const groupOf = (pid: number | 'self') =>
  hasGroups ? readFileSync(`/proc/${pid}/autogroup`, 'latin1').trim() : '';

test.each([false, true])(
  'a process gives way, one that leads a session (%s) as a whole',
  async (detached) => {
    const before = groupOf('self');
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], {
      detached,
      stdio: 'ignore',
    });
    const pid = child.pid ?? 0;
    giveWay(pid);
    expect(getPriority(pid)).toBeGreaterThan(getPriority(process.pid));
    expect(groupOf(pid).endsWith(`nice ${getPriority(pid)}`)).toBe(detached && hasGroups);
    expect(groupOf('self')).toBe(before);
    child.kill('SIGKILL');
    await once(child, 'exit');
    // One that has ended is no failure.
    giveWay(pid);
    giveWay(undefined);
  },
);
