/** The same bytes in pieces of `pieceBytes`, the last one shorter; nothing for nothing. Holds one piece. */
export async function* inPieces(
  content: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<Buffer, void, undefined> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of content) {
    let rest = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    while (length + rest.length >= pieceBytes) {
      const missing = pieceBytes - length;
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
