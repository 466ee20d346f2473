import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { LaunchedChromium } from '../../src/workers/browser/launched-chromium.ts';
import { startReaper } from '../../src/workers/processes/reaper.ts';
import { commandLine, findProcesses } from '../../src/embedded/processes.ts';

/** Speaks DevTools' protocol over its pipe, but has no target, not even of itself. */
const program = `#!${process.execPath}
const { createReadStream, writeSync } = require('node:fs');
let text = '';
createReadStream(null, { fd: 3 }).setEncoding('utf8').on('data', (chunk) => {
  text += chunk;
  for (let end = text.indexOf('\\0'); end !== -1; end = text.indexOf('\\0')) {
    const { id } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    writeSync(4, JSON.stringify({ id, result: { browserContextIds: [] } }) + '\\0');
  }
});
`;

it('a Chromium that starts but cannot be used is ended, with its profile', { timeout: 30_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-test-'));
  await using reaper = startReaper();
  try {
    const path = join(folder, 'chromium');
    await writeFile(path, program);
    await chmod(path, 0o755);
    const executable = { path, version: '153.0.0.0', kind: 'chromium', env: {} } as const;
    const launching = LaunchedChromium.launch({ executable, fontEnv: {}, sandbox: false, reaper });
    await expect(launching).rejects.toThrow('Browser target is not found');
    await expect
      .poll(() => findProcesses((line) => line.includes(path)).map(({ pid }) => commandLine(pid)))
      .toEqual([]);
    const own = `quarry-chromium-${process.pid}-`;
    expect((await readdir(tmpdir())).filter((name) => name.startsWith(own))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
