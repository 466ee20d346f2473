/** The same bytes in chunks of `chunkBytes`, the last one shorter; nothing for nothing. Holds one chunk. */
export async function* inChunks(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  chunkBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const part of content) {
    let rest = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    while (length + rest.length >= chunkBytes) {
      const missing = chunkBytes - length;
      yield Buffer.concat([...parts, rest.subarray(0, missing)]);
      rest = rest.subarray(missing);
      parts = [];
      length = 0;
    }
    if (rest.length > 0) {
      // What gives the bytes may use its memory again.
      parts.push(Buffer.from(rest));
      length += rest.length;
    }
  }
  if (length > 0) yield Buffer.concat(parts);
}

/** All of it in one buffer. */
export async function gather(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of content) parts.push(part);
  return Buffer.concat(parts);
}
