import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import type { WebhookAttempt } from '../../shared/db/tables.ts';
import {
  claimDeliveries,
  type ClaimedDelivery,
  closeCircuit,
  countFailure,
  settleDelivery,
  type Settlement,
  stopDeliveries,
} from '../../shared/db/webhook-claims.ts';
import { giveUpDeliveries, giveUpSurplus, mostAttempts } from '../../shared/db/webhook-deliveries.ts';
import type { EgressDoor } from '../../shared/egress/types.ts';
import { createId } from '../../shared/ids.ts';
import { findJobsWithSmallResult } from '../../shared/jobs/find-jobs.ts';
import type { Metrics } from '../../shared/metrics/metrics.ts';
import type { JobPresenter } from '../present-job.ts';
import type { WebhookSecrets } from './secrets.ts';
import { sendMessage } from './send.ts';

/** Short against a second, in which the message of somebody else must be under way whatever hangs. */
const pollEveryMs = 400;
/** Longer than an attempt takes. */
const leaseMs = 30_000;
const mostUnderWay = 256;
/** Of one user, so that one whose receivers all hang leaves slots for others. */
const mostOfUser = 16;
const mostOfReceiver = 4;
/** A larger result is asked for by the job's id. */
const mostResultBytes = 256 * 1024;
const dayMs = 24 * 3_600_000;
const overdueEveryMs = 60_000;
/** Of the time between two attempts. */
const jitter = 0.2;
/** For what is under way when the process stops. */
const stopsWithinMs = 5_000;

export interface DeliveriesOptions {
  db: Db;
  egress: EgressDoor;
  log: Logger;
  metrics: Metrics;
  presenter: JobPresenter;
  webhookSecrets: WebhookSecrets;
  /** Between one attempt and the next. */
  retrySeconds: readonly number[];
}

const receiverOf = ({ user_id, receiver }: Pick<ClaimedDelivery, 'user_id' | 'receiver'>) =>
  `${user_id} ${receiver}`;

/** When the next attempt is; null where a day is over. Not in step with others that failed at the same time. */
function nextTryInMs(delivery: ClaimedDelivery, retrySeconds: readonly number[]): number | null {
  const seconds = delivery.type === 'webhook.test' ? undefined : retrySeconds[delivery.tries - 1];
  return seconds === undefined
    ? null
    : Math.min(seconds * 1_000 * (1 - jitter + Math.random() * 2 * jitter), dayMs);
}

function settlementOf(
  delivery: ClaimedDelivery,
  attempt: WebhookAttempt,
  retrySeconds: readonly number[],
): Settlement {
  const { status } = attempt;
  const isLast = delivery.attempts.length >= mostAttempts;
  if (status !== null && status >= 200 && status < 300) {
    return { attempt, status: 'delivered', nextInMs: null };
  }
  if (status === 410) return { attempt, status: 'stopped', nextInMs: null };
  // Our own stop is no failure: another process tries again.
  const again = attempt.error === 'interrupted' ? 0 : nextTryInMs(delivery, retrySeconds);
  const nextInMs = isLast ? null : again;
  return { attempt, status: nextInMs === null ? 'failed' : 'pending', nextInMs };
}

/** Of what there is nothing to send of: its job is gone. */
function settleUnsent({ claimed_at: at }: ClaimedDelivery): Settlement {
  const attempt = { at: at.toISOString(), status: null, error: 'not_found', answer: null, ms: null };
  return { attempt, status: 'failed', nextInMs: null };
}

/**
 * Sends what the ends of jobs have left to be sent. It runs in the API processes: they alone have the secrets that
 * sign and the presenters of jobs, and a worker that a page has broken out into must have neither.
 *
 * Nobody waits for a receiver that hangs: each has few messages under way, each user a bounded number, and one that
 * did not answer three times in a row is left alone for a while.
 */
export function startDeliveries(options: DeliveriesOptions): AsyncDisposable {
  const { db, egress, log, metrics, presenter, webhookSecrets, retrySeconds } = options;
  const underWay = new Map<ClaimedDelivery, Promise<void>>();
  const polledUpTo = new Map<string, string>();
  const stop = new AbortController();
  let polling: Promise<void> = Promise.resolve();

  async function bodyOf(delivery: ClaimedDelivery): Promise<string | null> {
    const { id, type, job_id: jobId, origin, created_at: createdAt } = delivery;
    const timestamp = createdAt.toISOString();
    if (jobId === null) return JSON.stringify({ type, timestamp, data: { id } });
    const row = (await findJobsWithSmallResult(db, [jobId], mostResultBytes)).get(jobId);
    if (row === undefined) return null;
    try {
      return JSON.stringify({ type, timestamp, data: presenter.present(row, origin) });
    } catch (error) {
      log.error({ err: error, jobId }, 'a job cannot be told of by webhook');
      return null;
    }
  }

  async function attempt(delivery: ClaimedDelivery, body: string): Promise<Settlement> {
    const secrets = (await webhookSecrets.list(delivery.user_id)).map(({ secret }) => secret);
    const made = await sendMessage(egress, { delivery, body, secrets, signal: stop.signal });
    return settlementOf(delivery, made, retrySeconds);
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const body = await bodyOf(delivery);
    const settlement = body === null ? settleUnsent(delivery) : await attempt(delivery, body);
    const { user_id: userId, receiver, url, failures } = delivery;
    await settleDelivery(db, delivery, settlement);
    const { status, error } = settlement.attempt;
    if (settlement.status === 'stopped') await stopDeliveries(db, userId, url);
    if (status !== null && failures > 0) await closeCircuit(db, userId, receiver);
    if (body !== null && status === null && error !== 'interrupted') await countFailure(db, delivery);
    metrics.webhookTries.inc({ outcome: settlement.status });
    log.info({ deliveryId: delivery.id, userId, status, error, outcome: settlement.status }, 'webhook');
  }

  const countBy = (nameOf: (delivery: ClaimedDelivery) => string) =>
    new Map([...Map.groupBy(underWay.keys(), nameOf)].map(([name, own]) => [name, own.length]));

  async function poll(): Promise<void> {
    const limit = mostUnderWay - underWay.size;
    if (limit <= 0) return;
    const claimed = await claimDeliveries(db, {
      token: createId(),
      ofReceivers: countBy(receiverOf),
      ofUsers: countBy(({ user_id: userId }) => userId),
      mostOfReceiver,
      mostOfUser,
      limit,
      leaseMs,
      polledUpTo,
    });
    for (const delivery of claimed) {
      const delivering = deliver(delivery)
        // Its claim runs out, and it is tried again.
        .catch((error: unknown) => log.warn({ err: error, deliveryId: delivery.id }, 'a webhook broke off'))
        .finally(() => {
          underWay.delete(delivery);
          // More may be due than its receiver was to have at a time.
          pollNow();
        });
      underWay.set(delivery, delivering);
    }
  }

  let isIdle = true;
  let isWanted = false;
  let isStopping = false;
  function pollNow(): void {
    isWanted = true;
    if (isIdle) polling = pollWhileWanted();
  }
  async function pollWhileWanted(): Promise<void> {
    isIdle = false;
    while (isWanted) {
      if (isStopping) break;
      isWanted = false;
      // Postgres is away: the next poll asks again.
      await poll().catch((error: unknown) => log.warn({ err: error }, 'due webhooks could not be claimed'));
    }
    isIdle = true;
  }
  const timer = setInterval(pollNow, pollEveryMs);

  const triedForMs = Math.max(dayMs, retrySeconds.reduce((sum, it) => sum + it, 0) * (1 + jitter) * 1_000);
  let givingUp: Promise<void> = Promise.resolve();
  async function giveUp(): Promise<void> {
    try {
      for (;;) {
        if (isStopping) break;
        if ((await giveUpDeliveries(db, triedForMs)) + (await giveUpSurplus(db)) === 0) break;
      }
    } catch (error) {
      log.warn({ err: error }, 'overdue webhooks could not be given up');
    }
  }
  const overdue = setInterval(() => (givingUp = givingUp.then(giveUp)), overdueEveryMs);

  return {
    async [Symbol.asyncDispose]() {
      isStopping = true;
      clearInterval(timer);
      clearInterval(overdue);
      await Promise.all([polling, givingUp]);
      const hurry = setTimeout(() => stop.abort(), stopsWithinMs);
      await Promise.allSettled(underWay.values());
      clearTimeout(hurry);
    },
  };
}
