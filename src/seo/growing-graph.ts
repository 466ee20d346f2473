import type { Graph } from './pagerank.ts';

/** Gathers a graph of names edge by edge. */
export interface GrowingGraph {
  add(from: string, to: string): void;
  /** Of the nodes, by their number. */
  names(): string[];
  graph(): Graph;
}

const firstCapacity = 65_536;

function doubled(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const longer = new Int32Array(numbers.length * 2);
  longer.set(numbers);
  return longer;
}

export function createGrowingGraph(): GrowingGraph {
  const numbers = new Map<string, number>();
  let from = new Int32Array(firstCapacity);
  let to = new Int32Array(firstCapacity);
  let edgeCount = 0;
  const numberOf = (name: string) => {
    const known = numbers.get(name);
    if (known !== undefined) return known;
    numbers.set(name, numbers.size);
    return numbers.size - 1;
  };
  return {
    add(source, target) {
      if (edgeCount === from.length) [from, to] = [doubled(from), doubled(to)];
      from[edgeCount] = numberOf(source);
      to[edgeCount++] = numberOf(target);
    },
    names: () => [...numbers.keys()],
    graph: () => ({ size: numbers.size, edgeCount, from, to }),
  };
}
