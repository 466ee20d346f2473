import { expect, test } from 'vitest';
import { createGrowingGraph } from '../../src/seo/growing-graph.ts';
import { computePageRank, positionsOf } from '../../src/seo/pagerank.ts';
import {
  randomLinks,
  rankCorrelation,
  referencePageRank,
  solvePageRank,
} from '../support/reference-pagerank.ts';

test('four pages of a textbook have the ranks that the linear equations give', () => {
  const graph = createGrowingGraph();
  for (const [from, to] of ['ab', 'ac', 'bc', 'ca', 'dc']) graph.add(from as string, to as string);
  const ranks = computePageRank(graph.graph());
  const byName = Object.fromEntries(graph.names().map((name, node) => [name, ranks[node]]));
  // x = 0.0375 + 0.85 M x, solved by elimination.
  expect(byName['d']).toBeCloseTo(0.0375, 9);
  expect(byName['c']).toBeCloseTo(0.394_15, 4);
  expect(byName['a']).toBeCloseTo(0.372_53, 4);
  expect(byName['b']).toBeCloseTo(0.195_82, 4);
});

test('links that lead nowhere lose no rank, and equal domains share a position', () => {
  const graph = createGrowingGraph();
  for (const source of ['one', 'two', 'three']) graph.add(source, 'end');
  const ranks = computePageRank(graph.graph());
  expect(ranks.reduce((sum, rank) => sum + rank, 0)).toBeCloseTo(1, 12);
  expect([...positionsOf(ranks)]).toEqual([3, 1, 3, 3]);
});

test('it agrees with the formula written down, and with the equations solved, on a graph of 20,000 links', () => {
  const size = 4_000;
  const links = randomLinks(size, 20_000, 7);
  const graph = createGrowingGraph();
  for (const [index, from] of links.from.entries()) graph.add(String(from), String(links.to[index]));
  const ranks = computePageRank(graph.graph());
  const nodes = graph.names().map(Number);
  const pairs = [...links.from].map((from, index) => [from, links.to[index] ?? NaN] as const);
  const plain = referencePageRank(pairs);
  const solved = solvePageRank(size, links);
  const known = nodes.reduce((sum, node) => sum + (solved[node] ?? NaN), 0);
  for (const rankOf of [
    (node: number) => plain.get(node) ?? NaN,
    // Nodes without any link are in these only.
    (node: number) => (solved[node] ?? NaN) / known,
  ]) {
    const expected = Float64Array.from(nodes, rankOf);
    expect(rankCorrelation(ranks, expected)).toBeGreaterThan(0.999);
    for (const [node, rank] of ranks.entries()) expect(rank).toBeCloseTo(expected[node] ?? NaN, 9);
  }
});
