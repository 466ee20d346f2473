import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, isDatabaseAway } from '../../shared/db/client.ts';
import { releaseTokens, reserveTokens, settleTokens } from '../../shared/db/token-uses.ts';
import { AppError } from '../../shared/errors.ts';
import { tokensOf } from '../../shared/tokens.ts';
import { isUnbilled, markUnbilled } from './billing.ts';
import type { GenerativeModel, TokenUsage } from './model.ts';

/** Models count a little differently from what is counted here. */
const countMargin = 1.2;
/** A call, its retries included, takes no longer. */
const withinMs = 15 * 60_000;

/** An answer seldom takes what it may: with so much of it there is a good chance. */
const leastOfAnswer = 0.25;

const settleAgainMs = [250, 1_000, 3_000, 5_000];

/** An answer that was paid for is not thrown away because Postgres is: its tokens are counted when it is back. */
async function settle(db: Db, id: string, usage: TokenUsage): Promise<void> {
  for (const ms of settleAgainMs) {
    try {
      return await settleTokens(db, id, usage);
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      await sleep(ms);
    }
  }
  // What was reserved stays counted until its time is over.
  await settleTokens(db, id, usage).catch(() => undefined);
}

function secondsToMidnight(): number {
  const now = new Date();
  return Math.ceil((new Date(now).setUTCHours(24, 0, 0, 0) - now.getTime()) / 1_000);
}

/**
 * A model whose calls count against the tokens that the user's plan has for a day: what a call can take at most is
 * reserved first, so that calls side by side stay within it together.
 * @returns a model whose `generate` throws `token_budget_used` where that does not fit.
 */
export function meterModel(
  model: GenerativeModel,
  { db, userId, onUsage }: { db: Db; userId: string; onUsage(modelId: string, usage: TokenUsage): void },
): GenerativeModel {
  return {
    ...model,
    async generate(request) {
      request.signal.throwIfAborted();
      const counted = tokensOf(request.system) + tokensOf(request.prompt);
      const asked = Math.ceil(counted * countMargin);
      const tokens = asked + request.maxOutputTokens;
      const atLeast = asked + Math.ceil(request.maxOutputTokens * leastOfAnswer);
      const reserved = await reserveTokens(db, { userId, model: model.id, tokens, atLeast, withinMs });
      if ('refused' in reserved) {
        const { used, limit } = reserved.refused;
        const isTooMuch = atLeast > limit;
        const wait = isTooMuch ? 'Ask the operator for a larger plan' : 'Wait until tomorrow';
        const detail = `The plan has ${limit} tokens a day (UTC) for models; ${used} are used, and this call needs at least ${atLeast}. ${wait}, ask for less, or use the model quarry/extractive, which takes none.`;
        const failure = new AppError('token_budget_used', detail, {
          retryAfterSeconds: secondsToMidnight(),
          isFinal: true,
        });
        throw markUnbilled(failure);
      }
      const maxOutputTokens = reserved.tokens - asked;
      // Also of a call that was broken off, or nothing would bound the calls that a user cancels.
      const record = async (used: TokenUsage) => {
        onUsage(model.id, used);
        await settle(db, reserved.id, used);
      };
      const generated = await model
        .generate({ ...request, maxOutputTokens })
        .catch(async (error: unknown) => {
          // What it keeps otherwise is given back by time.
          if (isUnbilled(error)) await releaseTokens(db, reserved.id).catch(() => undefined);
          else await record({ inputTokens: counted, outputTokens: 0 }).catch(() => undefined);
          throw error;
        });
      // A provider that does not count is counted here.
      await record(generated.usage ?? { inputTokens: counted, outputTokens: tokensOf(generated.text) });
      return generated;
    },
  };
}
