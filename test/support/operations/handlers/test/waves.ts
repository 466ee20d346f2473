import { randomUUID } from 'node:crypto';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { leaf } from '../../contracts/test/leaf.ts';
import { waves } from '../../contracts/test/waves.ts';

export default defineHandler(waves, async ({ value, width, ms, failAt }, job) => {
  const stamp = await job.step('stamp', async () => randomUUID());
  const first = await job.call(leaf, { value, ms });
  const middle = await job.callAll(
    leaf,
    Array.from({ length: width }, (_, index) => ({
      value: first.doubled + index,
      ms,
      fail: index === failAt,
    })),
  );
  const doubled = middle.map((result) => (result.ok ? result.output.doubled : null));
  const again = await job.step('stamp', async () => randomUUID());
  if (again !== stamp) throw new Error('A step ran twice');
  const last = await job.call(leaf, { value: doubled.reduce<number>((sum, one) => sum + (one ?? 0), 0), ms });
  return { first: first.doubled, middle: doubled, last: last.doubled, stamp };
});
