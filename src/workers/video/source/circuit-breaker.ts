import { AppError, type ErrorCode } from '../../../shared/errors.ts';
import type { CircuitStore } from '../../../shared/video/circuits.ts';

const failuresToOpen = 5;
const countedSeconds = 60;
const openMs = 30_000;

/** Failures of the platform, not of the video that was asked for. */
const counted: ReadonlySet<ErrorCode> = new Set([
  'platform_blocked',
  'upstream_failed',
  'target_timeout',
  'target_unreachable',
]);

/**
 * A circuit for each platform, shared by all workers: after 5 failures in a row, none more than a minute after the
 * one before, nobody asks it for 30 s; then one success closes it and one failure opens it again.
 */
export interface CircuitBreaker {
  /** @throws AppError `platform_blocked` while the circuit is open; what `ask` throws. */
  run<T>(platform: string, ask: () => Promise<T>): Promise<T>;
}

function isOpen(platform: string, leftMs: number): AppError {
  const detail = `The platform ${platform} has refused the last requests of this server, so it is not asked for a moment.`;
  return new AppError('platform_blocked', detail, { retryAfterSeconds: Math.ceil(leftMs / 1_000) });
}

export function createCircuitBreaker(store: CircuitStore, now: () => number = Date.now): CircuitBreaker {
  /** Where the store is away nothing is counted, and nothing refused. */
  const otherwise =
    <T>(value: T) =>
    (): T =>
      value;

  async function noteFailure(platform: string): Promise<void> {
    const failures = await store.countFailure(platform, countedSeconds);
    if (failures >= failuresToOpen) await store.open(platform, now() + openMs);
  }

  return {
    async run(platform, ask) {
      const leftMs = (await store.openUntil(platform).catch(otherwise(0))) - now();
      if (leftMs > 0) throw isOpen(platform, leftMs);
      try {
        const answer = await ask();
        await store.close(platform).catch(otherwise(undefined));
        return answer;
      } catch (error) {
        if (error instanceof AppError && counted.has(error.code))
          await noteFailure(platform).catch(otherwise(undefined));
        throw error;
      }
    },
  };
}
