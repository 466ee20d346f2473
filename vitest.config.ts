import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import type { Reporter } from 'vitest/node';

// For every process that a test starts, and kept between runs: a service of its own would compile all of its code and
// unpack a Chromium anew, which is most of what its start costs.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'quarry-test-code');
process.env['BROWSER_FOLDER'] ??= join(tmpdir(), 'quarry-test-browser');

/** Where something is measured by the clock, or is done to the review that runs: nothing else runs beside them. */
const alone = [
  'test/faults/{chaos,composition,faults,isolated-jobs,outages,refusals,restarts,worker-clock}.test.ts',
  'test/api/{review,review-failures}.test.ts',
];

/** Where something is killed or hangs. Most of their time they wait for leases, deadlines and starts of their own services. */
const waiting = ['test/faults/**/*.test.ts', 'test/e2e/{feed,webhooks}.test.ts'];

// Of what fails. A machine that also does something else must not fail what only takes its time.
const bounds = {
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 15_000 } },
  // What fails twice is a fault; of thousands of tests on a busy machine, one fails by chance. `retried` names it all the
  // same. Developers see each failure.
  retry: process.env['CI'] ? 1 : 0,
};

/** Names the tests that passed only when they were run again, with what they had failed of. */
const retried: Reporter = {
  onTestRunEnd(modules) {
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      if (!test.diagnostic()?.flaky) continue;
      const why = test.result().errors?.map(({ message }) => message);
      process.stdout.write(
        `Retried: ${test.module.relativeModuleId} > ${test.fullName}\n  ${why?.join('\n  ')}\n`,
      );
    }
  },
};

export default defineConfig({
  test: {
    reporters: ['default', retried],
    globalSetup: ['test/support/stack.ts'],
    pool: 'forks',
    projects: [
      {
        test: {
          ...bounds,
          name: 'parts',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...waiting],
          // Each file has browsers or servers of its own, and the shared stack runs beside them.
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...bounds,
          name: 'waiting',
          include: waiting,
          exclude: alone,
          maxWorkers: 3,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...bounds,
          name: 'alone',
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
