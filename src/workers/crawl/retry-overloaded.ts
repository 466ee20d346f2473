import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';

/** Between tries to have something read while our own processes are busy. */
const pausesMs = [500, 2_000];

/**
 * Runs a task again where it was refused as `overloaded`.
 * @throws AppError `overloaded` where it still is after the last try; what the task throws.
 */
export async function retryOverloaded<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const pauseMs of pausesMs) {
    try {
      return await run();
    } catch (error) {
      signal.throwIfAborted();
      if (!isOverloaded(error)) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
  return await run();
}

export const isOverloaded = (error: unknown): boolean =>
  error instanceof AppError && error.code === 'overloaded';
