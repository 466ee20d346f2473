/** A worker to be killed by a test: runs a program that waits, and tells its home, its process id and its child's. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startReaper } from '../../src/workers/processes/reaper.ts';
import { runProgram } from '../../src/workers/video/media-program.ts';
import { openLoopbackDoor } from './egress-origin.ts';

let home = '';
const running = runProgram({
  path: '/bin/sh',
  args(own) {
    home = own;
    return ['-c', 'sleep 60 & echo "$$ $!" > pids; wait'];
  },
  lease: openLoopbackDoor().openLease(),
  reaper: startReaper(),
  signal: new AbortController().signal,
  timeoutMs: 60_000,
});
let pids = '';
while (pids === '') {
  await sleep(20);
  pids = await readFile(join(home, 'pids'), 'utf8').catch(() => '');
}
process.stdout.write(`${home} ${pids}`);
await running;
