import { expect, test } from 'vitest';
import { startService } from '../support/service.ts';

test('a start says once which variables are wrong, and starts nothing on them', async () => {
  const env = { LOG_TO: 'stdoutt', HTTP_CONCURRENCY: '0' };
  const failure = await startService({ env }).then(
    () => '',
    (error: unknown) => (error as Error).message,
  );
  expect(failure).toMatch(/LOG_TO .*"files"\|"stdout"/);
  expect(failure).toMatch(/HTTP_CONCURRENCY /);
  expect(failure).not.toMatch(/starting it again/);
}, 60_000);

test('a start tells on its terminal what its parts log, where it is asked to', async () => {
  const service = await startService({ env: { LOG_TO: 'stdout' } });
  await service.stop();
  expect(service.output()).toMatch(/"name":"worker browser"/);
}, 60_000);
