/** The thread of watchdog.ts. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { createStall, readRunDelayMs } from './event-loop-stall.ts';
import type { Watched } from './watchdog.ts';

const { heartbeats, stalledSeconds } = workerData as Watched;

// Second by second: time for which the whole process was stopped, or the machine slept, counts as one.
const stall = createStall(stalledSeconds, () => readRunDelayMs(process.pid));
for (let isOver = false; !isOver;) {
  const answer = Atomics.wait(heartbeats, 0, Atomics.load(heartbeats, 0), 1_000);
  if (answer === 'timed-out') isOver = stall.addSecond();
  else stall.end();
}
try {
  // Past our log, which needs the event loop.
  writeSync(2, `The event loop has stood still for ${stalledSeconds} s: process ${process.pid} ends.\n`);
} finally {
  process.kill(process.pid, 'SIGKILL');
}
