/** A directed graph of nodes 0..size-1, each edge once. */
export interface Graph {
  size: number;
  edgeCount: number;
  /** Edge `i` leads from `from[i]` to `to[i]`; the arrays may be longer than `edgeCount`. */
  from: Int32Array;
  to: Int32Array;
}

export interface PageRankOptions {
  /** Chance to follow a link in place of going anywhere; 0.85 by default, as in the paper. */
  damping?: number;
  /** Ends where all ranks together change by less in a round; 1e-10 by default. */
  tolerance?: number;
  /** 200 by default. */
  maxRounds?: number;
}

/**
 * PageRank by power iteration (Page, Brin, Motwani, Winograd: The PageRank Citation Ranking, 1999):
 *
 *     rank(v) = (1 - d) / n  +  d · ( Σ rank(u) / outDegree(u) over all u that link to v  +  dangling / n )
 *
 * where `dangling` is the rank of the nodes without links, which is shared out to all. The ranks sum to 1. Two numbers
 * an edge and three a node are all the memory it takes; edges that are ordered by `to` are the quickest.
 */
export function computePageRank(graph: Graph, options: PageRankOptions = {}): Float64Array {
  const { size, edgeCount, from, to } = graph;
  const { damping = 0.85, tolerance = 1e-10, maxRounds = 200 } = options;
  const outDegree = new Int32Array(size);
  for (let edge = 0; edge < edgeCount; edge++) {
    const source = from[edge] as number;
    outDegree[source] = (outDegree[source] as number) + 1;
  }
  let ranks = new Float64Array(size).fill(1 / size);
  let next = new Float64Array(size);
  const share = new Float64Array(size);
  for (let round = 0; round < maxRounds; round++) {
    let dangling = 0;
    for (let node = 0; node < size; node++) {
      const rank = ranks[node] as number;
      const degree = outDegree[node] as number;
      if (degree === 0) dangling += rank;
      else share[node] = rank / degree;
    }
    next.fill(0);
    for (let edge = 0; edge < edgeCount; edge++) {
      const target = to[edge] as number;
      next[target] = (next[target] as number) + (share[from[edge] as number] as number);
    }
    const base = (1 - damping + damping * dangling) / size;
    let change = 0;
    for (let node = 0; node < size; node++) {
      const rank = base + damping * (next[node] as number);
      change += Math.abs(rank - (ranks[node] as number));
      next[node] = rank;
    }
    [ranks, next] = [next, ranks];
    if (change < tolerance) break;
  }
  return ranks;
}

/** Positions from 1; equal ranks share the middle of theirs. What rounding makes differ is equal. */
export function positionsOf(ranks: Float64Array): Int32Array {
  const order = Int32Array.from(ranks.keys()).sort((a, b) => (ranks[b] as number) - (ranks[a] as number));
  const positions = new Int32Array(ranks.length);
  for (let start = 0; start < order.length;) {
    const rank = ranks[order[start] as number] as number;
    let end = start + 1;
    while (end < order.length && rank - (ranks[order[end] as number] as number) <= rank * 1e-9) end++;
    const middle = Math.floor((start + 1 + end) / 2);
    for (let index = start; index < end; index++) positions[order[index] as number] = middle;
    start = end;
  }
  return positions;
}
