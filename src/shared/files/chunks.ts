/**
 * The same bytes in chunks of `chunkBytes`, the last one shorter; nothing for nothing. Holds two chunks: each is written
 * over by the next but one.
 */
export async function* inChunks(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  chunkBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let chunk: Buffer = Buffer.alloc(0);
  let length = 0;
  let before: Buffer | undefined;
  for await (const part of content) {
    for (let taken = 0; taken < part.length;) {
      const added = part.subarray(taken, taken + chunkBytes - length);
      if (length + added.length > chunk.length) {
        const larger = Buffer.allocUnsafe(
          Math.min(chunkBytes, Math.max(2 * chunk.length, length + added.length)),
        );
        larger.set(chunk.subarray(0, length));
        chunk = larger;
      }
      chunk.set(added, length);
      taken += added.length;
      length += added.length;
      if (length < chunkBytes) continue;
      yield chunk;
      [before, chunk] = [chunk, before ?? Buffer.alloc(0)];
      length = 0;
    }
  }
  if (length > 0) yield chunk.subarray(0, length);
}

/** All of it in one buffer. */
export async function gather(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}
