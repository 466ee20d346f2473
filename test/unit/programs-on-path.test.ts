import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { findProgramOnPath } from '../../src/shared/programs-on-path.ts';

test('a program is taken from no package, ours or one of a folder above, and from no relative folder', async () => {
  const home = await mkdtemp(join(tmpdir(), 'quarry-path-'));
  await using _ = { [Symbol.asyncDispose]: () => rm(home, { recursive: true }) };
  const [ofPackages, own] = [join(home, 'node_modules', '.bin'), join(home, 'bin')];
  for (const folder of [ofPackages, own]) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'chromium'), '#!/bin/sh\n');
    await chmod(join(folder, 'chromium'), 0o755);
  }
  const find = (...folders: string[]) => findProgramOnPath('chromium', folders.join(delimiter));
  expect(find(ofPackages, `${ofPackages}/`, 'bin', '.', '')).toBeUndefined();
  expect(find(ofPackages, own)).toBe(join(own, 'chromium'));
});
