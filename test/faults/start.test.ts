import { existsSync, readFileSync } from 'node:fs';
import { appendFile, chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pidOf, pidsIn } from '../support/processes.ts';
import { readServiceLogs, type Service, type ServiceOptions, startService } from '../support/service.ts';

/** Undefined while it does not run. */
function readWorker(service: Service): number | undefined {
  try {
    return pidOf(service, 'worker-http');
  } catch {
    return undefined;
  }
}

/** What a start that fails has printed, with its exit code. */
async function failureOf(options: ServiceOptions): Promise<string> {
  return await startService(options).then(
    async (service) => {
      await service.stop();
      return 'it did not fail';
    },
    (error: unknown) => (error as Error).message,
  );
}

test('a start says once which variables are wrong, and starts nothing on them', async () => {
  const failure = await failureOf({ env: { LOG_TO: 'stdoutt', HTTP_CONCURRENCY: '0' } });
  expect(failure).toMatch(/LOG_TO .*"files"\|"stdout"/);
  expect(failure).toMatch(/HTTP_CONCURRENCY /);
  expect(failure).not.toMatch(/starting it again/);
}, 180_000);

describe('on one home', () => {
  let home: string;
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'quarry-test-'));
    // Root's Postgres runs as another user.
    await chmod(home, 0o755);
  });
  afterAll(() => rm(home, { recursive: true }));

  test('a part that ends while it can neither be started again nor written down is there as soon as it can', async () => {
    const service = await startService({ home });
    onTestFinished(() => service.stop());
    const worker = pidOf(service, 'worker-http');
    await rename(join(home, 'logs'), join(home, 'elsewhere'));
    await mkdir(join(home, 'holder.json.partial'));
    process.kill(worker, 'SIGKILL');
    await expect.poll(service.output, { timeout: 30_000 }).toMatch(/worker-http ended unexpectedly \(ENOENT/);
    expect(service.output()).toContain('Its processes could not be written down');
    await rename(join(home, 'elsewhere'), join(home, 'logs'));
    await rm(join(home, 'holder.json.partial'), { recursive: true });
    const isBack = () => readWorker(service) !== worker && readWorker(service) !== undefined;
    await expect.poll(isBack, { timeout: 30_000 }).toBe(true);
  }, 180_000);

  test('only the API is given the secrets of keys, sessions and links, and no part compiles its TypeScript', async () => {
    const service = await startService({
      home,
      env: { NODE_COMPILE_CACHE: join(home, 'code'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
    });
    onTestFinished(() => service.stop());
    const secretsOf = (name: Parameters<typeof pidOf>[1]) =>
      readFileSync(`/proc/${pidOf(service, name)}/environ`, 'latin1').match(
        /\b(KEY_ENCRYPTION_KEYS|SESSION_SECRET|LINK_SECRET)(?==)/g,
      ) ?? [];
    expect(secretsOf('api').toSorted()).toEqual(['KEY_ENCRYPTION_KEYS', 'LINK_SECRET', 'SESSION_SECRET']);
    expect([...secretsOf('worker-http'), ...secretsOf('worker-browser')]).toEqual([]);
    // A process that does keeps what that took: 50 MB.
    const logs = await readServiceLogs(home);
    expect(logs).toContain('retrieving transpile cache');
    expect(logs.match(/no transpile cache for .*/g)).toBeNull();
  }, 180_000);

  test('the first key is shown by the start that makes it, and never again', async () => {
    const service = await startService({ home });
    onTestFinished(() => service.stop());
    expect(service.key).toMatch(/^svc_live_/);
    expect(service.output()).not.toContain('svc_live_');
    expect(service.output()).toContain(`Your API key is kept in ${join(home, 'key')}`);
  }, 180_000);

  test('a part that does not come up ends the start: it is named, with why, and nothing is left running', async () => {
    const failure = await failureOf({ home, env: { EXTENSIONS: join(home, 'nowhere') } });
    expect(failure).toMatch(/ended with 1:/);
    expect(failure).toMatch(/ does not start\. The end of its log/);
    expect(failure).toMatch(/path: '.*nowhere\/contracts'/);
    expect(pidsIn(home)).toEqual([]);
  }, 180_000);

  test('a store that does not come up ends the start: it is named, with why, and nothing is left running', async () => {
    await appendFile(join(home, 'postgres/postgresql.conf'), '\nno_such_setting = 1\n');
    const failure = await failureOf({ home });
    expect(failure).toMatch(/ended with 1:/);
    expect(failure).toMatch(/Postgres did not start\. The end of its log/);
    expect(failure).toMatch(/unrecognized configuration parameter "no_such_setting"/);
    expect(pidsIn(home)).toEqual([]);
  }, 180_000);
});

test('a start tells on its terminal what its parts log, where it is asked to, and takes an empty variable for none', async () => {
  const service = await startService({ env: { LOG_TO: 'stdout', NODE_COMPILE_CACHE: '' } });
  onTestFinished(() => service.stop());
  expect(existsSync(join(service.home, 'compile-cache'))).toBe(true);
  await service.stop();
  expect(service.output()).toMatch(/"name":"worker browser review"/);
}, 180_000);
