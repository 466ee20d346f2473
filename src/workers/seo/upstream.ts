import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readRetryAfter } from '../../shared/egress/retry-after.ts';
import type { EgressLease, EgressResponse } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import type { HostSlots } from '../crawl/host-slots.ts';
import { decodeText, findCharset } from '../page/html/charset.ts';

/** A service that is asked, and how gently. */
export interface Upstream {
  /** In messages: `Google suggest`. */
  name: string;
  /** Its place among the hosts whose slots and cooldowns are shared. */
  host: string;
  /** Between two requests of one job to it. */
  delayMs: number;
}

export interface UpstreamRequest {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Default 2 MiB. */
  maxBodyBytes?: number;
}

/** An answer as it came, or as it was kept. */
export interface UpstreamAnswer {
  text: string;
  /** ISO 8601 date of the day when the service gave it. */
  asOf: string;
  isKept: boolean;
}

/** Answers of the last day, by all workers. */
export interface KeptAnswers {
  find(key: Buffer): Promise<{ answer: string; storedAt: Date } | null>;
  keep(key: Buffer, answer: string): Promise<void>;
}

/** Services that asked to be left alone for a while; told to all workers. */
export interface Cooldowns {
  /** @returns milliseconds that are left. */
  leftMs(host: string): Promise<number>;
  begin(host: string, ms: number): Promise<void>;
}

export interface AskOptions {
  /** Told of answers that could not be kept. */
  onLost(error: unknown): void;
  lease: EgressLease;
  slots: HostSlots;
  kept: KeptAnswers;
  cooldowns: Cooldowns;
  signal: AbortSignal;
}

/** The service refuses to answer now. */
export class UpstreamBlocked extends Error {
  readonly upstream: Upstream;
  readonly how: string;
  readonly retryAfterSeconds: number | undefined;

  constructor(upstream: Upstream, how: string, retryAfterSeconds?: number) {
    super(`${upstream.name} ${how}`);
    this.upstream = upstream;
    this.how = how;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Retry-After up to here is waited for; past it nothing is asked of the service for that long. */
const longestWaitMs = 5_000;
/** Who refuses without saying how long. */
const cooldownMs = 60_000;

const blockingStatuses = new Set([403, 429, 503]);
const keyOf = (name: string, request: UpstreamRequest) =>
  createHash('sha256')
    .update(JSON.stringify([name, request.url, request.body ?? null]))
    .digest();

/** Asks a service, each question once a day, at the pace that it asks for. */
export function createAsk({ lease, slots, kept, cooldowns, signal, onLost }: AskOptions) {
  async function askOnce(upstream: Upstream, request: UpstreamRequest): Promise<EgressResponse> {
    const cooldownLeftMs = await cooldowns.leftMs(upstream.host);
    if (cooldownLeftMs > 0) {
      const seconds = Math.ceil(cooldownLeftMs / 1_000);
      throw new UpstreamBlocked(upstream, `asked not to be asked again for ${seconds} s`, seconds);
    }
    const { maxBodyBytes = 2 * 1_048_576, headers = {}, ...rest } = request;
    return await slots.take(upstream.host, upstream.delayMs, () =>
      lease.fetch({
        ...rest,
        originHeaders: headers,
        maxBodyBytes,
        redirect: 'manual',
        timeoutMs: 20_000,
        signal,
      }),
    );
  }

  async function askWithRetry(upstream: Upstream, request: UpstreamRequest): Promise<EgressResponse> {
    for (let attempt = 0; ; attempt++) {
      const response = await askOnce(upstream, request);
      if (!blockingStatuses.has(response.status)) return response;
      const afterMs = readRetryAfter(response.headers['retry-after']);
      if (attempt === 0 && afterMs !== null && afterMs <= longestWaitMs) {
        await sleep(afterMs, undefined, { signal });
        continue;
      }
      await cooldowns.begin(upstream.host, afterMs ?? cooldownMs);
      throw new UpstreamBlocked(
        upstream,
        `answered ${response.status}`,
        Math.ceil((afterMs ?? cooldownMs) / 1_000),
      );
    }
  }

  return {
    /**
     * @throws UpstreamBlocked where it refuses to answer now.
     * @throws AppError `upstream_failed` for any other answer than 2xx, or none.
     */
    async ask(
      upstream: Upstream,
      request: UpstreamRequest,
      isWorthKeeping: (text: string) => boolean = () => true,
    ): Promise<UpstreamAnswer> {
      const key = keyOf(upstream.name, request);
      const found = await kept.find(key);
      if (found !== null)
        return { text: found.answer, asOf: found.storedAt.toISOString().slice(0, 10), isKept: true };
      const response = await askWithRetry(upstream, request).catch((error: unknown) => {
        signal.throwIfAborted();
        if (error instanceof AppError) throw failed(upstream, `could not be reached: ${error.detail}`, error);
        throw error;
      });
      // A redirect leads to a page that asks whether one is human.
      if (response.status >= 300 && response.status < 400)
        throw new UpstreamBlocked(upstream, `sent us away (${response.status})`);
      const { body, headers } = response;
      const text = decodeText(body, findCharset(body, headers['content-type'] ?? '', 'text'));
      if (response.status >= 400 || response.truncated)
        throw failed(upstream, response.truncated ? 'broke off its answer' : `answered ${response.status}`);
      // What was paid for is answered, whether it can be kept or not.
      if (isWorthKeeping(text)) await kept.keep(key, text).catch(onLost);
      return { text, asOf: new Date().toISOString().slice(0, 10), isKept: false };
    },
  };
}

/**
 * Waits for all: an answer that is broken off is paid for too, and one that is kept is not asked for again.
 * @throws the first failure.
 */
export async function allAnswers<Answers extends readonly unknown[]>(
  calls: readonly [...{ [Index in keyof Answers]: Promise<Answers[Index]> }],
): Promise<Answers> {
  await Promise.allSettled(calls);
  return (await Promise.all(calls)) as unknown as Answers;
}

export type Ask = ReturnType<typeof createAsk>['ask'];

const advice = ' Try again later.';

/** Says when to come back, where the cause does. */
export function failed(upstream: Upstream, how: string, cause?: unknown): AppError {
  return new AppError('upstream_failed', `${upstream.name} ${how.replace(/\.$/, '')}.${advice}`, {
    cause,
    ...retryAfterOf(cause),
  });
}

/** When a service that refuses wants to be asked again, as an option of AppError. */
export function retryAfterOf(cause: unknown): { retryAfterSeconds?: number } {
  const seconds = cause instanceof UpstreamBlocked ? cause.retryAfterSeconds : undefined;
  return seconds === undefined ? {} : { retryAfterSeconds: seconds };
}

/** What has failed, to be told among others. */
export const failureOf = (failure: AppError | UpstreamBlocked): string =>
  failure instanceof AppError ? failure.detail.replace(`.${advice}`, '') : failure.message;

/** @throws AppError `upstream_failed` for what is no JSON. */
export function readJson(upstream: Upstream, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw failed(upstream, 'answered something that is no JSON', error);
  }
}
