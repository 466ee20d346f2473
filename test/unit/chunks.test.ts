import { expect, it } from 'vitest';
import { inChunks } from '../../src/shared/files/chunks.ts';

const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, n) => n % 251));

function* inParts(partBytes: number): Generator<Uint8Array> {
  // As what reads a socket does, its memory is used again for the next part.
  const part = new Uint8Array(partBytes);
  for (let start = 0; start < bytes.length; start += partBytes)
    yield part.subarray(0, bytes.copy(part, 0, start, start + partBytes));
}

it.each([1, 7, 64, 100, 333, 1_000, 5_000])('makes chunks of parts of %i bytes', async (partBytes) => {
  for (const chunkBytes of [1, 10, 100, 128, 999, 1_000, 1_001]) {
    const lengths: number[] = [];
    const found: Buffer[] = [];
    let last: Buffer | undefined;
    for await (const chunk of inChunks(inParts(partBytes), chunkBytes)) {
      // The one before is still what it was.
      if (last !== undefined) found.push(Buffer.from(last));
      last = chunk;
      lengths.push(chunk.length);
    }
    found.push(last ?? Buffer.alloc(0));
    expect(Buffer.concat(found).equals(bytes)).toBe(true);
    expect(lengths.slice(0, -1).every((length) => length === chunkBytes)).toBe(true);
    expect(lengths.length).toBe(Math.ceil(bytes.length / chunkBytes));
  }
});

it('fills the memory of the chunk before the last again', async () => {
  for await (const chunk of inChunks([], 100)) expect.unreachable(String(chunk.length));
  const chunks: Buffer[] = [];
  for await (const chunk of inChunks([Buffer.alloc(30_000)], 10_000)) chunks.push(chunk);
  expect(chunks[2]?.buffer).toBe(chunks[0]?.buffer);
});
