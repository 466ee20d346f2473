import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../../../src/shared/errors.ts';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { noop } from '../../contracts/test/noop.ts';

export default defineHandler(noop, async ({ ms, fail, tag }, job) => {
  if (ms > 0) await sleep(ms, undefined, { signal: job.signal });
  if (fail) {
    job.warn('asked_to_fail', 'It will fail.');
    throw new AppError('selector_not_found', 'It was asked to fail.');
  }
  return { tag, pid: process.pid };
});
