import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { hold } from '../../contracts/test/hold.ts';

export default defineHandler(hold, async ({ until }, { signal }) => {
  while (!existsSync(until)) await sleep(100, undefined, { signal });
  return { pid: process.pid };
});
