import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { superviseChild, type SupervisedChild } from '../../src/embedded/children.ts';
import { waitUntil } from '../../src/embedded/home-lock.ts';
import { openHome, type Home } from '../../src/embedded/home.ts';

let folder: string;
let home: Home;
let lines: string[];
let child: SupervisedChild;
const unhurried = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quarry-children-'));
  home = openHome({ QUARRY_HOME: join(folder, 'home') });
  lines = [];
});

afterEach(async () => {
  await child.stop(1_000, AbortSignal.abort());
  rmSync(folder, { recursive: true, force: true });
});

function supervise(source: string): SupervisedChild {
  const script = join(folder, 'child.ts');
  writeFileSync(script, source);
  child = superviseChild(
    { name: 'child', script, args: [] },
    { home, env: process.env, logToStdout: false, say: (line) => lines.push(line), onChange: () => {} },
  );
  return child;
}

const wellBehaved = `
  process.on('SIGTERM', () => { console.log('ended in order'); process.exit(0); });
  process.on('disconnect', () => process.exit(0));
  console.log('port', process.env.PORT, 'supervised', process.env.QUARRY_SUPERVISED);
  process.send({ type: 'ready', url: 'http://127.0.0.1:4567' });
`;

test('a child says when it is up, writes to its log and ends in order', async () => {
  supervise(wellBehaved);
  expect(await child.ready).toBe('http://127.0.0.1:4567');
  expect(child.isReady()).toBe(true);
  await child.stop(5_000, unhurried);
  expect(readFileSync(join(home.logs, 'child.log'), 'utf8')).toMatch(/supervised 1\nended in order\n$/);
  expect(lines).toEqual([]);
});

test('a child that dies is started again, at the address it had', async () => {
  supervise(wellBehaved);
  await child.ready;
  const first = child.identity();
  process.kill(first?.pid ?? 0, 'SIGKILL');
  const second = await waitUntil(() => {
    const now = child.identity();
    return child.isReady() && now?.pid !== first?.pid ? now : undefined;
  }, 30_000);
  expect(second).toBeDefined();
  expect(lines).toEqual(['child ended unexpectedly (SIGKILL); starting it again in 0.2 s']);
  expect(readFileSync(join(home.logs, 'child.log'), 'utf8')).toContain('port 4567');
});

test('a child that never comes up is given up, with the end of its log', async () => {
  supervise(`console.error('PORT is taken'); process.exit(1);`);
  await expect(child.ready).rejects.toThrow(
    /child does not start\. The end of its log \(.*\):\n(.*\n)*PORT is taken/,
  );
});

test('a child that does not end is killed, at once when there is hurry', async () => {
  supervise(`process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); process.send({ type: 'ready' });`);
  await child.ready;
  const hurry = new AbortController();
  setTimeout(() => hurry.abort(), 100);
  const startedAt = Date.now();
  await child.stop(30_000, hurry.signal);
  expect(Date.now() - startedAt).toBeLessThan(10_000);
  expect(child.identity()).toBeUndefined();
});
