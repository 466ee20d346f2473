/** The thread of watchdog.ts. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { createSilence, readRunDelayMs } from './silence.ts';
import type { Watched } from './watchdog.ts';

const { heartbeats, silentSeconds } = workerData as Watched;

// Second by second: time for which the whole process was stopped, or the machine slept, counts as one.
const silence = createSilence(silentSeconds, () => readRunDelayMs(process.pid));
for (let isOver = false; !isOver;) {
  const answer = Atomics.wait(heartbeats, 0, Atomics.load(heartbeats, 0), 1_000);
  if (answer === 'timed-out') isOver = silence.addSecond();
  else silence.end();
}
try {
  // Past our log, which needs the event loop.
  writeSync(2, `The event loop has stood still for ${silentSeconds} s: process ${process.pid} ends.\n`);
} finally {
  process.kill(process.pid, 'SIGKILL');
}
