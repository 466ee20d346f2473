import { collectGarbage } from '../garbage.ts';

/** On the way several times as many are made: chunks, answers as they come and put together, texts of them. */
const collectEveryBytes = 4 * 1024 * 1024;
let passedBytes = 0;

/**
 * To be told of the bytes of files that pass through this process. V8 looks for buffers that are used no longer once
 * they are 64 MB and more, so that a file of any size would cost as much memory. To look at the young ones takes a
 * millisecond, and costs less than memory that is new each time.
 */
export function freeBuffersBehind(bytes: number): void {
  passedBytes += bytes;
  if (passedBytes < collectEveryBytes) return;
  passedBytes = 0;
  collectGarbage({ type: 'minor' });
}
