import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const parts = new Set(['all.ts', 'bare-lookup.ts', 'load.ts', 'measure.ts', 'request.ts', 'soak.ts']);

for (const file of readdirSync(import.meta.dirname).filter(
  (name) => name.endsWith('.ts') && !parts.has(name),
)) {
  const { status } = spawnSync(process.execPath, [...process.execArgv, join(import.meta.dirname, file)], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
}
