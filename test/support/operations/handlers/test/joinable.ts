import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { joinable } from '../../contracts/test/joinable.ts';

export default defineHandler(joinable, async ({ ms }, { signal }) => {
  await sleep(ms, undefined, { signal });
  return { run: randomUUID() };
});
