import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

// For every process that a test starts, and kept between runs: a service of its own would compile all of its code and
// unpack a Chromium anew, which is most of what its start costs.
process.env['NODE_COMPILE_CACHE'] ??= join(tmpdir(), 'quarry-test-code');
process.env['BROWSER_FOLDER'] ??= join(tmpdir(), 'quarry-test-browser');

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/stack.ts'],
    pool: 'forks',
    // Each file has browsers or servers of its own, and the shared stack runs beside them.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
