import { afterAll, expect, inject, test } from 'vitest';
import { createDb, type Db } from '../../src/shared/db/client.ts';
import { type ClaimOptions, claimDeliveries, settleDelivery } from '../../src/shared/db/webhook-claims.ts';
import { giveUpSurplus } from '../../src/shared/db/webhook-deliveries.ts';
import { createId } from '../../src/shared/ids.ts';
import { environmentOf } from '../support/processes.ts';

const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
const db = createDb({ url, poolSize: 2, onError: () => undefined });
afterAll(() => db.destroy());

/** What the test writes is never there for anybody else, who would send it. */
async function unseen(work: (trx: Db) => Promise<void>): Promise<void> {
  const trx = await db.startTransaction().execute();
  try {
    await work(trx);
  } finally {
    await trx.rollback().execute();
  }
}

/** @param dueOf by receiver, in the order in which they are due. */
async function createUserWithDue(trx: Db, dueOf: readonly string[]): Promise<string> {
  const userId = createId();
  const user = { id: userId, email: `${userId}@example.com`, name: 'Due', role: 'user' } as const;
  await trx.insertInto('users').values(user).execute();
  const rows = dueOf.map((receiver, n) => ({
    id: createId(),
    user_id: userId,
    job_id: null,
    type: 'job.ended',
    url: `${receiver}/hook`,
    receiver,
    origin: 'https://quarry.example',
    // Before all that others have left in the table.
    next_attempt_at: new Date(Date.UTC(2000, 0, 1) + n),
  }));
  await trx.insertInto('webhook_deliveries').values(rows).execute();
  return userId;
}

const optionsOf = (options: Partial<ClaimOptions>): ClaimOptions => ({
  token: createId(),
  ofReceivers: new Map(),
  ofUsers: new Map(),
  mostOfReceiver: 4,
  mostOfUser: 16,
  limit: 256,
  leaseMs: 60_000,
  polledUpTo: new Map(),
  ...options,
});

const receivers = (count: number) => Array.from({ length: count }, (_, n) => `https://r${1_000 + n}.example`);
const countByUser = (claimed: readonly { user_id: string }[]) =>
  new Map([...Map.groupBy(claimed, (one) => one.user_id)].map(([userId, own]) => [userId, own.length]));

test('users with more due than they may have under way share alike, whoever came before', () =>
  unseen(async (trx) => {
    const users: string[] = [];
    for (let n = 0; n < 20; n++) users.push(await createUserWithDue(trx, receivers(20)));
    users.sort();
    const shares = countByUser(await claimDeliveries(trx, optionsOf({})));
    const own = users.map((userId) => shares.get(userId) ?? 0);
    expect(Math.min(...own)).toBeGreaterThan(9);
    expect(Math.max(...own) - Math.min(...own)).toBeLessThanOrEqual(1);
    // The first sixteen have all but one of all there may be, and one ends: it is the turn of those who have nothing.
    const ofUsers = new Map(users.slice(0, 16).map((userId) => [userId, 15]));
    const next = countByUser(await claimDeliveries(trx, optionsOf({ ofUsers, limit: 4 })));
    expect([...next.keys()].sort()).toEqual(users.slice(16));
  }));

test('of many receivers a poll takes so many, and the next goes on after them', () =>
  unseen(async (trx) => {
    const userId = await createUserWithDue(trx, receivers(600));
    const polledUpTo = new Map<string, string>();
    const polls: string[][] = [];
    for (let n = 0; n < 4; n++) {
      // Each poll ends before the next one.
      const ofUsers = new Map([[userId, n === 0 ? 0 : 1]]);
      const claimed = await claimDeliveries(trx, optionsOf({ ofUsers, mostOfUser: 3, polledUpTo }));
      polls.push(claimed.filter((one) => one.user_id === userId).map(({ receiver }) => receiver));
    }
    const [all, last] = [receivers(600), polledUpTo.get(userId)];
    expect(polls.map((poll) => poll.toSorted())).toEqual([
      all.slice(0, 3),
      all.slice(256, 258),
      all.slice(512, 514),
      all.slice(3, 5),
    ]);
    expect(last).toBe(all[255]);
  }));

test('of a message that was sent again and again the last ten attempts have their answers', () =>
  unseen(async (trx) => {
    const userId = await createUserWithDue(trx, receivers(1));
    const own = () => trx.selectFrom('webhook_deliveries').select('attempts').where('user_id', '=', userId);
    for (let n = 1; n <= 15; n++) {
      await trx
        .updateTable('webhook_deliveries')
        .set({ next_attempt_at: new Date(0) })
        .where('user_id', '=', userId)
        .execute();
      const claimed = (await claimDeliveries(trx, optionsOf({}))).find((one) => one.user_id === userId);
      const attempt = { at: new Date().toISOString(), status: 500, error: null, answer: `no ${n}`, ms: 1 };
      await settleDelivery(trx, claimed!, { attempt, status: 'pending', nextInMs: 0 });
    }
    const { attempts } = await own().executeTakeFirstOrThrow();
    expect(attempts.map(({ answer }) => answer)).toEqual([
      ...Array(5).fill(null),
      ...Array.from({ length: 10 }, (_, n) => `no ${n + 6}`),
    ]);
    expect(attempts.every(({ status }) => status === 500)).toBe(true);
    // One that is claimed and never settled is among the ten.
    await trx
      .updateTable('webhook_deliveries')
      .set({ next_attempt_at: new Date(0) })
      .where('user_id', '=', userId)
      .execute();
    await claimDeliveries(trx, optionsOf({}));
    const claimed = await own().executeTakeFirstOrThrow();
    expect(claimed.attempts.map(({ answer }) => answer)).toEqual([
      ...Array(6).fill(null),
      ...Array.from({ length: 9 }, (_, n) => `no ${n + 7}`),
      null,
    ]);
  }));

test('of more messages than a user may have waiting the oldest are given up, which their logs say', () =>
  unseen(async (trx) => {
    const most = 1_000;
    const [full, other] = [
      await createUserWithDue(trx, receivers(most + 3)),
      await createUserWithDue(trx, receivers(most)),
    ];
    const ofUser = (userId: string) =>
      trx.selectFrom('webhook_deliveries').where('user_id', '=', userId).orderBy('next_attempt_at');
    const rows = await ofUser(full).select('id').execute();
    const hour = (n: number) => new Date(Date.now() - n * 3_600_000);
    const setSince = (at: number, tried_since: Date, claim_token: string | null = null) =>
      trx
        .updateTable('webhook_deliveries')
        .set({ tried_since, claim_token })
        .where('id', '=', rows[at]?.id ?? '')
        .execute();
    // The oldest of all is under way.
    await setSince(500, hour(4), createId());
    for (const at of [600, 601, 602]) await setSince(at, hour(3));
    expect(await giveUpSurplus(trx, most)).toBe(3);
    expect(await giveUpSurplus(trx, most)).toBe(0);
    const ended = await ofUser(full)
      .select(['id', 'status', 'attempts'])
      .where('status', '<>', 'pending')
      .execute();
    expect(ended.map(({ id }) => id)).toEqual(rows.slice(600, 603).map(({ id }) => id));
    expect(ended[0]).toMatchObject({
      status: 'failed',
      attempts: [{ status: null, error: 'too_many_pending' }],
    });
    expect(await ofUser(other).select('id').where('status', '<>', 'pending').execute()).toEqual([]);
  }));
