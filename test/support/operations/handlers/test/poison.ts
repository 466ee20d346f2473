import { setTimeout as sleep } from 'node:timers/promises';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { poison } from '../../contracts/test/poison.ts';

export default defineHandler(poison, async ({ ms }) => {
  await sleep(ms);
  process.kill(process.pid, 'SIGKILL');
  return {};
});
