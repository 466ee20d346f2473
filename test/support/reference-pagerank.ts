/**
 * PageRank as the formula is read, slow and plain: lists of links a node, no typed arrays, no shortcut. What the
 * quick one is held against.
 */
export function referencePageRank(
  links: readonly (readonly [from: number, to: number])[],
  damping = 0.85,
): Map<number, number> {
  const nodes = new Set(links.flat());
  const linksTo = new Map<number, number[]>();
  const linksFrom = new Map<number, number[]>();
  for (const node of nodes) {
    linksTo.set(node, []);
    linksFrom.set(node, []);
  }
  for (const [from, to] of links) {
    linksTo.get(to)?.push(from);
    linksFrom.get(from)?.push(to);
  }
  const outDegree = (node: number) => linksFrom.get(node)?.length ?? 0;
  let ranks = new Map([...nodes].map((node) => [node, 1 / nodes.size]));
  for (let round = 0; round < 200; round++) {
    const rankOf = (node: number) => ranks.get(node) ?? NaN;
    const dangling = [...nodes]
      .filter((node) => outDegree(node) === 0)
      .reduce((sum, node) => sum + rankOf(node), 0);
    const next = new Map<number, number>();
    for (const node of nodes) {
      const incoming = (linksTo.get(node) ?? []).reduce(
        (sum, from) => sum + rankOf(from) / outDegree(from),
        0,
      );
      next.set(node, (1 - damping) / nodes.size + damping * (incoming + dangling / nodes.size));
    }
    const change = [...nodes].reduce(
      (sum, node) => sum + Math.abs((next.get(node) ?? NaN) - rankOf(node)),
      0,
    );
    ranks = next;
    if (change < 1e-11) break;
  }
  return ranks;
}

/**
 * PageRank by another way, quick enough for millions of links: not by following a random surfer round by round, but as the
 * solution of linear equations (Del Corso, Gullì, Romani: Fast PageRank Computation via a Sparse Linear System,
 * 2005). With `y = 1 + d · Pᵀ y`, where nodes without links have an empty row in `P`, the ranks are `y / Σ y`. Solved
 * by Gauss-Seidel: each value is used as soon as it is known.
 */
export function solvePageRank(size: number, { from, to }: Links, damping = 0.85): Float64Array {
  const outDegree = new Uint32Array(size);
  const start = new Uint32Array(size + 1);
  for (const source of from) outDegree[source] = (outDegree[source] ?? 0) + 1;
  for (const target of to) start[target + 1] = (start[target + 1] ?? 0) + 1;
  for (let node = 0; node < size; node++) start[node + 1] = (start[node + 1] ?? 0) + (start[node] ?? 0);
  const place = start.slice();
  const sources = new Uint32Array(from.length);
  for (let link = 0; link < from.length; link++) {
    const target = to[link] ?? -1;
    sources[place[target] ?? -1] = from[link] ?? -1;
    place[target] = (place[target] ?? 0) + 1;
  }
  const y = new Float64Array(size).fill(1);
  for (let sweep = 0, change = Infinity; sweep < 500 && change > 1e-12; sweep++) {
    change = 0;
    for (let node = 0; node < size; node++) {
      let sum = 0;
      for (let link = start[node] ?? 0; link < (start[node + 1] ?? 0); link++) {
        const source = sources[link] ?? -1;
        sum += (y[source] ?? NaN) / (outDegree[source] ?? NaN);
      }
      const value = 1 + damping * sum;
      change = Math.max(change, Math.abs(value - (y[node] ?? NaN)) / value);
      y[node] = value;
    }
  }
  const whole = y.reduce((sum, one) => sum + one, 0);
  return y.map((one) => one / whole);
}

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** Link `i` leads from `from[i]` to `to[i]`. */
export interface Links {
  from: Uint32Array;
  to: Uint32Array;
}

/** Links each once, as skewed as those of the web: few nodes are linked to by many. In no order. */
export function randomLinks(nodes: number, count: number, seed: number): Links {
  const next = random(seed);
  const wanted = Math.ceil(count * 1.3);
  const keys = new Float64Array(wanted);
  for (let link = 0; link < wanted; link++)
    keys[link] = Math.floor(next() * nodes) * nodes + Math.floor(next() ** 4 * nodes);
  const isLink = (key: number, index: number, sorted: Float64Array) =>
    Math.floor(key / nodes) !== key % nodes && key !== sorted[index - 1];
  const distinct = keys.sort().filter(isLink);
  if (distinct.length < count) throw new Error(`${nodes} nodes are too few for ${count} links`);
  for (let index = distinct.length - 1; index > 0; index--) {
    const other = Math.floor(next() * (index + 1));
    [distinct[index], distinct[other]] = [distinct[other] ?? NaN, distinct[index] ?? NaN];
  }
  const taken = distinct.subarray(0, count);
  return {
    from: Uint32Array.from(taken, (key) => Math.floor(key / nodes)),
    to: Uint32Array.from(taken, (key) => key % nodes),
  };
}

function averageRanks(values: Float64Array): Float64Array {
  const order = Int32Array.from(values.keys()).sort((a, b) => (values[a] ?? NaN) - (values[b] ?? NaN));
  const ranks = new Float64Array(values.length);
  for (let start = 0; start < order.length;) {
    let end = start + 1;
    const value = values[order[start] ?? -1] ?? NaN;
    while (end < order.length && Math.abs((values[order[end] ?? -1] ?? NaN) - value) <= value * 1e-9) end++;
    for (let index = start; index < end; index++) ranks[order[index] ?? -1] = (start + end - 1) / 2;
    start = end;
  }
  return ranks;
}

/** Spearman's: Pearson's of the ranks, ties sharing their middle. */
export function rankCorrelation(first: Float64Array, second: Float64Array): number {
  const [a, b] = [averageRanks(first), averageRanks(second)];
  const mean = (a.length - 1) / 2;
  let product = 0;
  let squaresA = 0;
  let squaresB = 0;
  for (const [index, rank] of a.entries()) {
    const other = (b[index] ?? NaN) - mean;
    product += (rank - mean) * other;
    squaresA += (rank - mean) ** 2;
    squaresB += other ** 2;
  }
  return product / Math.sqrt(squaresA * squaresB);
}
