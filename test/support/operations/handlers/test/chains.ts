import { setTimeout as sleep } from 'node:timers/promises';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { chains } from '../../contracts/test/chains.ts';
import { leaf } from '../../contracts/test/leaf.ts';

/** By job and step; outlives the runs of a job, as a side effect does. */
const runsOf = new Map<string, Record<string, number>>();
const storedOf = new Map<string, unknown[]>();

export default defineHandler(chains, async ({ width, length, unfit }, job) => {
  const stepRuns = runsOf.get(job.jobId) ?? {};
  runsOf.set(job.jobId, stepRuns);
  const counted = async (name: string, ms: number) =>
    await job.step(name, async () => {
      stepRuns[name] = (stepRuns[name] ?? 0) + 1;
      await sleep(ms);
    });
  const stored = storedOf.get(job.jobId) ?? [];
  storedOf.set(job.jobId, stored);
  stored.push(await job.step('time', async () => new Date(0)));

  const ends = await Promise.all(
    Array.from({ length: width }, async (_, chain) => {
      let value = chain;
      for (let link = 0; link < length; link++) {
        // In another order each time.
        const { doubled } = await job.call(leaf, { value, ms: (chain * 37) % 50 });
        await counted(`${chain}/${link}`, (chain * 53) % 20);
        value = doubled;
      }
      return value;
    }),
  );
  const tooLarge = Array.from({ length: unfit }, () => ({ value: Number.MAX_VALUE }));
  const entries = await job.callAll(leaf, [{ value: 1 }, ...tooLarge, { value: 2 }]);
  return { ends, stepRuns, stored, unfit: entries.map((one) => (one.ok ? 'ok' : one.error.code)) };
});
