import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const main = join(import.meta.dirname, '../../src/admin/main.ts');

test.each(['constructor', 'toString', 'user'])(
  '%s is no command, and the answer lists those that are',
  (name) => {
    const { status, stderr } = spawnSync(process.execPath, [main, name], { encoding: 'utf8' });
    expect(stderr).toContain(`There is no command "${name}".`);
    expect(stderr).toContain('npm run -s admin -- user create');
    expect(status).toBe(1);
  },
  60_000,
);
