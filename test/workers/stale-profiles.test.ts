import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { deleteStaleProfiles } from '../../src/workers/browser/profile.ts';

const project = join(import.meta.dirname, '../..');

/** Another process with a profile. */
async function startOwner() {
  const program = `import { createProfile } from '${project}/src/workers/browser/profile.ts';
    process.stdout.write(await createProfile()); setInterval(() => {}, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [output] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, profile: output.toString() };
}

test('a profile is deleted once its owner is dead, whatever its process id says, and links in it are not followed', async () => {
  const { child, profile } = await startOwner();
  const elsewhere = await mkdtemp(join(tmpdir(), 'quarry-test-'));
  onTestFinished(() => rm(elsewhere, { recursive: true, force: true }));
  writeFileSync(join(elsewhere, 'kept'), '');
  symlinkSync(elsewhere, join(profile, 'link'));
  await deleteStaleProfiles();
  expect(existsSync(profile)).toBe(true);

  child.kill('SIGKILL');
  await once(child, 'exit');
  await deleteStaleProfiles();
  expect(existsSync(profile)).toBe(false);
  expect(existsSync(join(elsewhere, 'kept'))).toBe(true);
});

test('a folder that nobody holds a lock for is left alone', async () => {
  // As one of a living process of another namespace looked like: its number is nobody's here.
  const folder = join(tmpdir(), `quarry-chromium-999999999-${Date.now()}`);
  mkdirSync(folder);
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await deleteStaleProfiles();
  expect(existsSync(folder)).toBe(true);
});
