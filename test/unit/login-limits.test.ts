import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLoginLimits } from '../../src/api/sessions/login-limits.ts';
import { createDb } from '../../src/shared/db/client.ts';

const asked = vi.hoisted(() => ({ queries: 0, attempts: new Map<string, number>() }));

vi.mock('../../src/shared/db/login-attempts.ts', () => {
  const query =
    <T>(answer: (subject: string, limit: number) => T) =>
    async (_db: unknown, subject: string, limit: number) => {
      asked.queries++;
      return answer(subject, limit);
    };
  const add = (subject: string, more: number) =>
    asked.attempts.set(subject, (asked.attempts.get(subject) ?? 0) + more);
  return {
    secondsOfFullWindow: query(() => null),
    hasLoginWindow: query(() => true),
    openLoginWindow: query(() => undefined),
    takeDelayedAttempt: query(() => null),
    giveBackLoginAttempt: query((subject) => add(subject, -1)),
    deleteEndedLoginWindows: query(() => undefined),
    takeLoginAttempt: query((subject, limit) => {
      if ((asked.attempts.get(subject) ?? 0) >= limit) return 800;
      add(subject, 1);
      return null;
    }),
  };
});

const db = createDb({ url: 'postgres://nowhere.invalid/none', poolSize: 1, onError: () => undefined });

beforeEach(() => {
  vi.useFakeTimers();
  asked.attempts.clear();
});
afterEach(() => {
  vi.useRealTimers();
});

const there = { email: 'ann@quarry.test', clientAddress: '203.0.113.7' };

async function fill(limits: ReturnType<typeof createLoginLimits>): Promise<void> {
  for (let n = 0; n < 10; n++) expect(await limits.take(there)).toBeNull();
  expect(await limits.take(there)).toBe(800);
  asked.queries = 0;
}

test('attempts right after a refusal ask nothing of Postgres, whatever account they name; others are asked about', async () => {
  const limits = createLoginLimits(db);
  await fill(limits);
  for (let n = 0; n < 100; n++) expect(await limits.take({ ...there, email: `${n}@quarry.test` })).toBe(800);
  expect(asked.queries).toBe(0);
  expect(await limits.take({ ...there, clientAddress: '203.0.113.8' })).toBeNull();
  expect(asked.queries).toBeGreaterThan(0);
});

test('a refusal is remembered for a second, since another process may have given attempts back', async () => {
  const limits = createLoginLimits(db);
  await fill(limits);
  asked.attempts.clear();
  expect(await limits.take(there)).toBe(800);
  vi.advanceTimersByTime(1_000);
  expect(await limits.take(there)).toBeNull();
});

test('an attempt that succeeds makes room for the next one at once', async () => {
  const limits = createLoginLimits(db);
  await fill(limits);
  await limits.succeed(there);
  expect(await limits.take(there)).toBeNull();
});

test('sign-ups past their bound ask nothing of Postgres either', async () => {
  const limits = createLoginLimits(db);
  for (let n = 0; n < 10; n++) expect(await limits.takeSignUp(there.clientAddress)).toBeNull();
  expect(await limits.takeSignUp(there.clientAddress)).toBe(800);
  asked.queries = 0;
  for (let n = 0; n < 100; n++) expect(await limits.takeSignUp(there.clientAddress)).toBe(800);
  expect(asked.queries).toBe(0);
});
