import { getCompileCacheDir } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/** Of the API and the workers. */
export const v8Options = [
  // V8 by itself lets the heap of a process that allocates little grow by a tenth of what is in use and then collects
  // it, every few seconds: on a busy machine in pauses of 50 to 100 ms, which requests wait for. With this it grows to
  // twice what is in use.
  '--heap-growing-percent=100',
];

/**
 * For a process that may have been started without them. One with a compile cache has to be given them at its start: V8
 * refuses code that was compiled under other options.
 */
export function setV8Options(): void {
  if (getCompileCacheDir() === undefined) for (const option of v8Options) setFlagsFromString(option);
}
