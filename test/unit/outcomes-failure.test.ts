import { expect, test, vi } from 'vitest';
import { createOutcomes, type OutcomeOptions } from '../../src/workers/jobs/outcomes.ts';
import { scrape } from '../../src/shared/contracts/web/scrape.ts';
import { AppError } from '../../src/shared/errors.ts';
import type { JobEnd } from '../../src/shared/jobs/transitions/end.ts';
import type { ClaimedRow, Lease } from '../../src/shared/jobs/transitions/lease.ts';

test('a failure is told and settled also where its operation cannot be loaded', async () => {
  const error = vi.fn();
  const change = vi.fn(async () => null);
  const { settle } = createOutcomes({
    catalog: { findQueued: async () => await Promise.reject(new Error('no such module')) },
    log: { error },
    retryWhileDatabaseAway: change,
  } as unknown as OutcomeOptions);
  const failure = new Error('the first one');
  await settle({ id: 'id', operation: 'web.scrape', retries: 9 } as ClaimedRow, {} as Lease, failure, []);
  expect(error).toHaveBeenCalledWith(expect.objectContaining({ err: failure }), expect.any(String));
  expect(change).toHaveBeenCalledOnce();
});

test('an end that Postgres refuses is a failure, whose cause is told', async () => {
  const refusal = new Error('unsupported Unicode escape sequence');
  const row = { id: 'id', operation: 'web.scrape', retries: 9 } as ClaimedRow;
  for (const name of ['store', 'settle'] as const) {
    const error = vi.fn();
    const change = vi.fn(async () => null).mockRejectedValueOnce(refusal);
    const outcomes = createOutcomes({
      catalog: { findQueued: async () => undefined },
      log: { error },
      retryWhileDatabaseAway: change,
    } as unknown as OutcomeOptions);
    if (name === 'store') await outcomes.store(row, {} as Lease, {} as JobEnd);
    else await outcomes.settle(row, {} as Lease, new Error('of the handler'), []);
    expect(error).toHaveBeenLastCalledWith(expect.objectContaining({ err: refusal }), expect.any(String));
    expect(change).toHaveBeenCalledTimes(2);
  }
});

test('in tests, a code that the contract does not declare is a fault of the service', async () => {
  const error = vi.fn();
  const change = vi.fn(async () => null);
  const { settle } = createOutcomes({
    catalog: { findQueued: async () => scrape },
    log: { error },
    retryWhileDatabaseAway: change,
    checkErrors: true,
  } as unknown as OutcomeOptions);
  const row = { id: 'id', operation: scrape.id, retries: 0 } as ClaimedRow;
  await settle(row, {} as Lease, new AppError('target_timeout', 'It is slow.'), []);
  expect(error).not.toHaveBeenCalled();
  await settle(row, {} as Lease, new AppError('video_not_found', 'There is none.'), []);
  const detail = 'web.scrape fails with video_not_found, which its contract does not declare';
  expect(error).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ err: expect.objectContaining({ code: 'internal_error', detail }) }),
    expect.any(String),
  );
  // One end each, at once: a plain error would be tried again.
  expect(change).toHaveBeenCalledTimes(2);
});
