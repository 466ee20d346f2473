import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Runs every `bench:<name>` script of package.json, one after the other. */
const folder = join(import.meta.dirname, '..');
const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};

for (const [name, command] of Object.entries(scripts)) {
  const file = name.startsWith('bench:') ? command.split(' ').at(-1) : undefined;
  if (file === undefined) continue;
  console.log(`\n${name}`);
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(folder, file)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
