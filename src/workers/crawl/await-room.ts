import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../shared/errors.ts';

/** Between tries to have something read while our own processes are busy. */
const pausesMs = [500, 2_000];

/**
 * Runs a task again where there was no room for it.
 * @throws AppError `overloaded` where there is none for longer; what the task throws.
 */
export async function onceThereIsRoom<T>(run: () => Promise<T>, signal: AbortSignal): Promise<T> {
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
