import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { look } from '../../contracts/test/look.ts';

export default defineHandler(look, async ({ ms }, { signal }) => {
  await sleep(ms, undefined, { signal });
  return { run: randomUUID() };
});
