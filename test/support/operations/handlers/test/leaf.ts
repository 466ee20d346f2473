import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../../../../src/shared/errors.ts';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { leaf } from '../../contracts/test/leaf.ts';

export default defineHandler(leaf, async ({ value, ms, fail }, { signal }) => {
  if (ms > 0) await sleep(ms, undefined, { signal });
  if (fail) throw new AppError('selector_not_found', 'The leaf was asked to fail.');
  return { doubled: 2 * value };
});
