import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { createChromium } from '../../src/workers/browser/chromium.ts';
import { LaunchedChromium } from '../../src/workers/browser/launched-chromium.ts';
import { readProcessTree } from '../../src/shared/processes/process-tree.ts';
import { findUnprivilegedAccount } from '../../src/workers/processes/account.ts';
import { startReaper } from '../../src/workers/processes/reaper.ts';
import { commandLine, findProcesses } from '../../src/embedded/processes.ts';
import { startBrowserBench, testDataFolder } from '../support/browser.ts';

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

describe('the sandbox', { timeout: 90_000 }, () => {
  const statusOf = (pid: number) =>
    Object.fromEntries(
      readFileSync(`/proc/${pid}/status`, 'utf8')
        .split('\n')
        .map((line) => line.split(/:\s+/) as [string, string]),
    );

  it('holds the process of a page, which is never root’s and has no capability', async () => {
    await using bench = await startBrowserBench({ sandbox: 'require' });
    await bench.withPage({}, async (page) => {
      await page.goto('about:blank');
      const { pid = 0, sandbox } = bench.chromium.describe() ?? {};
      expect(sandbox).toBe(true);
      const renderers = readProcessTree(pid).filter(({ isRenderer }) => isRenderer);
      expect(renderers.length).toBeGreaterThan(0);
      for (const renderer of renderers) {
        const status = statusOf(renderer.pid);
        expect(status).toMatchObject({ Seccomp: '2', CapEff: '0000000000000000' });
        expect(status['Uid']?.split('\t')).not.toContain('0');
      }
      const uid = findUnprivilegedAccount()?.uid ?? process.getuid?.();
      expect(statusOf(pid)['Uid']).toBe(Array(4).fill(uid).join('\t'));
    });
  });

  /** Refuses to start as Chromium does where the kernel gives it no sandbox. */
  async function makeRefusing(folder: string, says: string): Promise<string> {
    await chmod(folder, 0o755);
    const path = join(folder, 'chromium');
    await writeFile(
      path,
      `#!/bin/sh\n[ "$1" = --version ] && exec echo Chromium 153.0.0.0\necho "${says}" >&2\nexit 1\n`,
    );
    await chmod(path, 0o755);
    return path;
  }

  it('is told apart from other failures to start, and never given up where it is required', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry-test-'));
    await using reaper = startReaper();
    try {
      const launch = async (says: string) => {
        const path = await makeRefusing(folder, says);
        const executable = { path, version: '153.0.0.0', kind: 'chromium', env: {} } as const;
        return await LaunchedChromium.launch({ executable, fontEnv: {}, sandbox: true, reaper }).catch(
          (error: unknown) => error,
        );
      };
      expect(await launch('FATAL: No usable sandbox!')).toMatchObject({ lacksSandbox: true });
      expect(await launch('out of memory')).toMatchObject({ lacksSandbox: false });

      const warnings: string[] = [];
      const log = { info() {}, warn: (_: object, message: string) => void warnings.push(message) };
      const chromePath = await makeRefusing(folder, 'No usable sandbox!');
      for (const sandbox of ['require', 'auto'] as const) {
        await using chromium = createChromium({ chromePath, dataFolder: testDataFolder, sandbox, log });
        await expect(chromium.warmUp()).rejects.toMatchObject({ code: 'unavailable' });
      }
      // Only `auto` tries without.
      expect(warnings.filter((text) => text.includes('without its sandbox'))).toHaveLength(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
