import { expect, test } from 'vitest';
import { freeBuffersBehind } from '../../src/shared/files/free-buffers.ts';

test('the memory of buffers that have passed is there for those that come', () => {
  const megabyte = 1024 * 1024;
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let n = 0; n < 256; n++) {
    Buffer.alloc(megabyte);
    freeBuffersBehind(megabyte);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect(most).toBeLessThan(16 * megabyte);
});
