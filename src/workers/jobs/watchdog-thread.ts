/** The thread of watchdog.ts. */
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { Watched } from './watchdog.ts';

const { beats, silentSeconds } = workerData as Watched;

// Second by second: time for which the whole process was stopped, or the machine slept, counts as one.
for (let silent = 0; silent < silentSeconds;) {
  const answer = Atomics.wait(beats, 0, Atomics.load(beats, 0), 1_000);
  silent = answer === 'timed-out' ? silent + 1 : 0;
}
try {
  // Past our log, which needs the event loop.
  writeSync(2, `The event loop has stood still for ${silentSeconds} s: process ${process.pid} ends.\n`);
} finally {
  process.kill(process.pid, 'SIGKILL');
}
