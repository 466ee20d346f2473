import { sql } from 'kysely';
import { createId, idNotBefore } from '../ids.ts';
import { type Db, inTransaction } from './client.ts';

export interface TokensOfDay {
  /** Spent since 00:00 UTC, and reserved by calls under way. */
  used: number;
  /** The plan's bound; null for none. */
  limit: number | null;
}

const today = sql<Date>`date_trunc('day', now(), 'UTC')`;

async function countToday(db: Db, userId: string): Promise<number> {
  const { used } = await db
    .selectFrom('token_uses')
    .select(
      sql<string>`coalesce(sum(input_tokens + output_tokens
        + case when reserved_until > now() then reserved_tokens else 0 end), 0)`.as('used'),
    )
    .where('user_id', '=', userId)
    .where('at', '>=', today)
    .executeTakeFirstOrThrow();
  return Number(used);
}

async function findLimit(db: Db, userId: string): Promise<number | null> {
  const license = await db
    .selectFrom('licenses')
    .select('max_tokens_per_day')
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return license?.max_tokens_per_day == null ? null : Number(license.max_tokens_per_day);
}

export interface TokenRequest {
  userId: string;
  model: string;
  /** What the call can take at most, and the least that is of use to it. */
  tokens: number;
  atLeast: number;
  withinMs: number;
}

/**
 * Reserves tokens for one call of a model: as many as it can take at most, or what the day has left.
 * @param withinMs after which the reservation of a worker that is gone no longer counts.
 * @returns the reservation's id and its tokens, or what stands in its way.
 */
export async function reserveTokens(
  db: Db,
  { userId, model, tokens, atLeast, withinMs }: TokenRequest,
): Promise<{ id: string; tokens: number } | { refused: TokensOfDay & { limit: number } }> {
  return await inTransaction(db, async (trx) => {
    // The user's calls take turns here, or two would see the same rest.
    await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute();
    const limit = await findLimit(trx, userId);
    const used = limit === null ? 0 : await countToday(trx, userId);
    const reserved = Math.min(tokens, (limit ?? Infinity) - used);
    if (limit !== null && reserved < atLeast) return { refused: { used, limit } };
    const id = createId();
    await trx
      .insertInto('token_uses')
      .values({
        id,
        user_id: userId,
        model,
        reserved_tokens: reserved,
        reserved_until: sql<Date>`now() + make_interval(secs => ${withinMs / 1_000})`,
      })
      .execute();
    return { id, tokens: reserved };
  });
}

/** Records what a reserved call has taken. */
export async function settleTokens(
  db: Db,
  id: string,
  usage: { inputTokens: number; outputTokens: number },
): Promise<void> {
  await db
    .updateTable('token_uses')
    .set({
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      reserved_tokens: 0,
      reserved_until: null,
    })
    .where('id', '=', id)
    .execute();
}

/** Gives back what a call that has failed had reserved. */
export async function releaseTokens(db: Db, id: string): Promise<void> {
  await db.deleteFrom('token_uses').where('id', '=', id).execute();
}

export interface TokensByModel {
  model: string;
  inputTokens: number;
  outputTokens: number;
}

/** What a user has spent: today against the plan's bound, and by model in the last 30 days. */
export async function getTokenUsage(
  db: Db,
  userId: string,
): Promise<{ today: number; maxPerDay: number | null; byModel: TokensByModel[] }> {
  const [used, limit, rows] = await Promise.all([
    countToday(db, userId),
    findLimit(db, userId),
    db
      .selectFrom('token_uses')
      .select([
        'model',
        sql<string>`sum(input_tokens)`.as('input_tokens'),
        sql<string>`sum(output_tokens)`.as('output_tokens'),
      ])
      .where('user_id', '=', userId)
      .where('at', '>=', sql<Date>`now() - interval '30 days'`)
      .groupBy('model')
      .orderBy('model')
      .execute(),
  ]);
  const byModel = rows.map(({ model, input_tokens, output_tokens }) => ({
    model,
    inputTokens: Number(input_tokens),
    outputTokens: Number(output_tokens),
  }));
  return { today: used, maxPerDay: limit, byModel };
}

const keptMs = 90 * 86_400_000;

/** Deletes what is older than any answer tells of (30 days), with a margin. @returns how many, at most 500. */
export async function deleteOldTokenUses(db: Db): Promise<number> {
  const { rows } = await sql`
    delete from token_uses where id in (
      select id from token_uses where id < ${idNotBefore(Date.now() - keptMs)}::uuid
      order by id limit 500 for update skip locked
    ) returning 1`.execute(db);
  return rows.length;
}
