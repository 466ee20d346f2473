/** A seeded generator (mulberry32): the same seed, the same faults in the same order. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** A whole number in [0, bound). */
  below(bound: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  return { next, below, pick: (choices) => choices[below(choices.length)] ?? choices[0] };
}
