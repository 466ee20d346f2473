/** A sentence as a bag of words, each weighted by how rare it is in the text; of length 1. */
export type SentenceVector = ReadonlyMap<string, number>;

/** Weights by term frequency and inverse sentence frequency. */
export function toVectors(sentences: readonly (readonly string[])[]): SentenceVector[] {
  const holders = new Map<string, number>();
  for (const words of sentences) {
    for (const word of new Set(words)) holders.set(word, (holders.get(word) ?? 0) + 1);
  }
  return sentences.map((words) => {
    const vector = new Map<string, number>();
    for (const word of words) vector.set(word, (vector.get(word) ?? 0) + 1);
    let sum = 0;
    for (const [word, count] of vector) {
      const weight = count * Math.log(1 + sentences.length / (holders.get(word) ?? 1));
      vector.set(word, weight);
      sum += weight ** 2;
    }
    const length = Math.sqrt(sum) || 1;
    for (const [word, weight] of vector) vector.set(word, weight / length);
    return vector;
  });
}

export function cosine(a: SentenceVector, b: SentenceVector): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let sum = 0;
  for (const [word, weight] of small) sum += weight * (large.get(word) ?? 0);
  return sum;
}

const damping = 0.85;
const rounds = 30;
const settled = 1e-5;

/**
 * Centrality of each sentence in the graph of their likeness, the highest 1: LexRank with weighted edges (Erkan and
 * Radev 2004), that is PageRank by power iteration. Quadratic in their number: bound it.
 */
export function rankByGraph(vectors: readonly SentenceVector[]): number[] {
  const size = vectors.length;
  const edges = new Float64Array(size * size);
  const outward = new Float64Array(size);
  for (let from = 0; from < size; from++) {
    for (let to = from + 1; to < size; to++) {
      const weight = cosine(vectors[from] as SentenceVector, vectors[to] as SentenceVector);
      edges[from * size + to] = edges[to * size + from] = weight;
      outward[from] = (outward[from] ?? 0) + weight;
      outward[to] = (outward[to] ?? 0) + weight;
    }
  }
  let ranks = new Float64Array(size).fill(1 / size);
  for (let round = 0; round < rounds; round++) {
    const next = new Float64Array(size).fill((1 - damping) / size);
    for (let from = 0; from < size; from++) {
      const share = (damping * (ranks[from] ?? 0)) / (outward[from] || 1);
      if (share === 0 || outward[from] === 0) continue;
      for (let to = 0; to < size; to++) next[to] = (next[to] ?? 0) + share * (edges[from * size + to] ?? 0);
    }
    const moved = next.reduce((sum, rank, index) => sum + Math.abs(rank - (ranks[index] ?? 0)), 0);
    ranks = next;
    if (moved < settled) break;
  }
  const highest = ranks.reduce((a, b) => Math.max(a, b), 0) || 1;
  return [...ranks].map((rank) => rank / highest);
}
