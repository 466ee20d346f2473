import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findExecutable } from '../../src/workers/browser/executable.ts';
import { prepareFonts } from '../../src/workers/browser/fonts.ts';
import { silentLog } from '../../src/workers/browser/log.ts';
import { testDataFolder } from '../support/browser.ts';

describe('finding Chromium', { timeout: 60_000 }, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'quarry-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function addProgram(name: string, script: string): Promise<string> {
    const bin = await mkdtemp(join(folder, 'bin-'));
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
    return bin;
  }

  it('takes the one on PATH', async () => {
    const bin = await addProgram('chromium', 'echo "Chromium 156.0.1.2 built on Debian"');
    const found = await findExecutable({ dataFolder: testDataFolder, searchPath: bin, log: silentLog });
    expect(found).toEqual({ path: join(bin, 'chromium'), version: '156.0.1.2', kind: 'chromium', env: {} });
  });

  it('takes the bundled one where PATH has none, or one that does not start', async () => {
    const warnings: string[] = [];
    const log = { ...silentLog, warn: (_: object, message: string) => void warnings.push(message) };
    const bin = await addProgram('chromium', 'exit 127');
    const found = await findExecutable({ dataFolder: testDataFolder, searchPath: bin, log });
    expect(found.kind).toBe('headless-shell');
    expect(found.version).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    expect(warnings).toEqual(['Chromium on PATH does not start; trying the next one']);
  });

  it('takes an operator’s choice or nothing', async () => {
    const chromePath = join(folder, 'nowhere');
    const finding = findExecutable({ chromePath, dataFolder: testDataFolder, log: silentLog });
    await expect(finding).rejects.toThrow(`Chromium at ${chromePath} does not start`);
  });

  it('unpacks once when two processes start together', async () => {
    const dataFolder = join(folder, 'data');
    await mkdir(dataFolder);
    const module = new URL('../../src/workers/browser/bundled-chromium.ts', import.meta.url).href;
    const script = `const { unpackBundledChromium } = await import('${module}');
      console.log((await unpackBundledChromium('${dataFolder}')).path);`;
    const outputs = await Promise.all([1, 2].map(() => runScript(script)));
    expect(new Set(outputs).size).toBe(1);
    expect(await readdir(dataFolder)).toEqual([expect.stringMatching(/^chromium-[\d.]+$/)]);
    expect(await readdir(join(dataFolder, (await readdir(dataFolder))[0] ?? '', 'lib'))).toContain(
      'libnss3.so',
    );
  });

  it('offers fonts of its own, to every account whatever the umask', async () => {
    const umask = process.umask(0o077);
    const { FONTCONFIG_FILE: file = '' } = await prepareFonts(folder).finally(() => process.umask(umask));
    const text = await readFile(file, 'utf8');
    const unpacked = (await readdir(folder)).find((name) => name.startsWith('fonts-')) ?? '';
    const [font = ''] = await readdir(join(folder, unpacked));
    const modeOf = async (path: string) => (await stat(path)).mode & 0o7;
    const modes = [join(folder, 'fonts'), file, join(folder, unpacked), join(folder, unpacked, font)];
    expect(await Promise.all(modes.map(modeOf))).toEqual([5, 4, 5, 4]);
    expect(text).toContain('noto-sans</dir>');
    expect(text).toContain('dejavu-fonts-ttf</dir>');
  });
});

async function runScript(script: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
  return output.trim();
}
