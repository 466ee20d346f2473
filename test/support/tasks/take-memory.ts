/** Takes memory in pieces until it is ended: of V8's heap, or bytes outside of it. */
export default function takeMemory(kind: 'heap' | 'bytes'): never {
  const taken: unknown[] = [];
  for (;;)
    taken.push(kind === 'heap' ? Array.from({ length: 1_000 }, () => ({})) : Buffer.alloc(1_048_576, 1));
}
