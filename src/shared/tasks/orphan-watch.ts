/** A thread of a task's process: a task that never ends must not outlive its worker, and hears of nothing itself. */
import { workerData } from 'node:worker_threads';

const everyMs = 1_000;

setInterval(() => {
  if (process.ppid !== workerData) process.kill(process.pid, 'SIGKILL');
}, everyMs);
