import { setTimeout as sleep } from 'node:timers/promises';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { poison } from '../../contracts/test/poison.ts';

export default defineHandler(poison, async ({ ms, blockMs, spares }) => {
  await sleep(ms);
  if (blockMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
  else if (!spares) process.kill(process.pid, 'SIGKILL');
  return { pid: process.pid };
});
