import { getCompileCacheDir } from 'node:module';
import { setFlagsFromString } from 'node:v8';

/**
 * V8 by itself lets the heap of a process that allocates little grow by a tenth of what is in use and then collects it,
 * every few seconds: on a busy machine in pauses of 50 to 100 ms, which requests wait for. With this option it grows
 * to twice what is in use.
 */
export const heapGrowth = '--heap-growing-percent=100';

/**
 * For a process that may have been started without it. One with a compile cache has to be given it at its start: V8
 * refuses code that was compiled under other options.
 */
export function setHeapGrowth(): void {
  if (getCompileCacheDir() === undefined) setFlagsFromString(heapGrowth);
}
