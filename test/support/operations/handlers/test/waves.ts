import { randomUUID } from 'node:crypto';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { leaf } from '../../contracts/test/leaf.ts';
import { waves } from '../../contracts/test/waves.ts';

export default defineHandler(waves, async ({ value, width, ms, failAt, careless }, job) => {
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
  const sum = doubled.reduce<number>((all, one) => all + (one ?? 0), 0);
  const last = careless
    ? // oxlint-disable-next-line quarry/no-caught-suspension -- what is tried
      await job.call(leaf, { value: sum, ms }).catch(() => ({ doubled: -1 }))
    : await job.call(leaf, { value: sum, ms });
  return { first: first.doubled, middle: doubled, last: last.doubled, stamp };
});
