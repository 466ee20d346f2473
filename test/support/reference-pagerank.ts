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

function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** Links each once, as skewed as those of the web: few nodes are linked to by many. */
export function randomLinks(nodes: number, count: number, seed: number): (readonly [number, number])[] {
  const next = random(seed);
  const links = new Map<number, readonly [number, number]>();
  while (links.size < count) {
    const from = Math.floor(next() * nodes);
    const to = Math.floor(next() ** 4 * nodes);
    if (from !== to) links.set(from * nodes + to, [from, to]);
  }
  return [...links.values()];
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
