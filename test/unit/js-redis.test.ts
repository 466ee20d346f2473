import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { freePort } from '../../src/embedded/free-port.ts';

const program = join(import.meta.dirname, '../../src/embedded/js-redis.ts');
/** Tells a process's parent what its buffers hold once its garbage is collected. */
const probe = `process.on('message', (message) => {
  if (message !== 'buffers') return;
  gc();
  process.send({ buffers: process.memoryUsage().arrayBuffers });
});`;

test('the bundled Redis keeps of what it is sent no more than it stores', async () => {
  using disposables = new DisposableStack();
  const execArgv = ['--expose-gc', '--disable-warning=ExperimentalWarning'];
  const child = disposables.adopt(
    fork(program, {
      execArgv: [...execArgv, `--import=data:text/javascript,${encodeURIComponent(probe)}`],
      env: {},
    }),
    (it) => it.kill('SIGKILL'),
  );
  const tellBuffers = async (): Promise<number> => {
    child.send('buffers');
    const [{ buffers }] = (await once(child, 'message')) as [{ buffers: number }];
    return buffers;
  };
  const [port, password] = [await freePort(), 'a password'];
  child.send({ port, password });
  await once(child, 'message');
  const redis = disposables.adopt(new Redis({ port, password }), (it) => it.disconnect());
  await redis.set('large', '');
  const before = await tellBuffers();
  for (let n = 0; n < 200; n++) {
    await redis.set('large', 'x'.repeat(20_000));
    await redis.set('large', 'x'.repeat(20_000));
    await redis.set('large', 'x'.repeat(20_000));
    await redis.rpush('uses', `use ${n}`);
  }
  expect(await redis.llen('uses')).toBe(200);
  // V8 frees what it has collected in a thread of its own.
  await expect
    .poll(async () => (await tellBuffers()) - before, { timeout: 20_000 })
    .toBeLessThan(2 * 1024 ** 2);
});
