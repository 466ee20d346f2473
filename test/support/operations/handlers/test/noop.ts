import { setTimeout as sleep } from 'node:timers/promises';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { noop } from '../../contracts/test/noop.ts';

export default defineHandler(noop, async ({ ms, tag }, { signal }) => {
  if (ms > 0) await sleep(ms, undefined, { signal });
  return { tag, pid: process.pid };
});
