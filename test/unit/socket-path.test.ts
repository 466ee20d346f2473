import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { findSocketPath } from '../../src/embedded/socket-path.ts';

const folder = mkdtempSync(join(tmpdir(), 'quarry-socket-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a folder takes a Unix socket, and nothing of the try stays', async () => {
  writeFileSync(join(folder, '.sock'), 'of a try that was cut off');
  expect(await findSocketPath(folder, 'name')).toBe(join(folder, 'name'));
  expect(readdirSync(folder)).toEqual([]);
});

test('none where its path would be too long, or none can be made', async () => {
  const long = join(folder, 'x'.repeat(108 - folder.length - '/'.length - '/sockets'.length));
  mkdirSync(long);
  expect(await findSocketPath(long, 'sockets')).toBeUndefined();
  expect(await findSocketPath(long, 'socket')).toBe(join(long, 'socket'));
  expect(await findSocketPath(join(folder, 'missing'), 'name')).toBeUndefined();
  mkdirSync(join(folder, '.sock'));
  expect(await findSocketPath(folder, 'name')).toBeUndefined();
});
