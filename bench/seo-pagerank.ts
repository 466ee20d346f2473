import { createGrowingGraph } from '../src/seo/growing-graph.ts';
import { computePageRank } from '../src/seo/pagerank.ts';
import { randomLinks, rankCorrelation, solvePageRank } from '../test/support/reference-pagerank.ts';
import { tellFigure } from './figures.ts';

/**
 * PageRank of 5 million links between 1 million domains (or as many links as the argument says) against a reference
 * that solves the linear equations instead: rank correlation (Spearman), greatest difference, time and memory.
 */
const linkCount = Number(process.argv[2] ?? 5_000_000);
const nodes = linkCount / 5;

const megabytes = () => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1_048_576;
};

function timed<Result>(what: string, work: () => Result): Result {
  const before = megabytes();
  const startedAt = performance.now();
  const result = work();
  const seconds = (performance.now() - startedAt) / 1_000;
  tellFigure({ what, value: seconds, unit: 's' });
  const grown = Math.round(megabytes() - before);
  console.log(`${what}: ${seconds.toFixed(1)} s, ${grown} MB more than before`);
  return result;
}

const links = randomLinks(nodes, linkCount, 11);
console.log(`${linkCount} links between at most ${nodes} domains`);
const gathered = timed('gathered', () => {
  const growing = createGrowingGraph();
  for (const [index, from] of links.from.entries())
    growing.add(`site${from}.example`, `site${links.to[index]}.example`);
  return growing;
});
const graph = gathered.graph();
const ranks = timed('PageRank', () => computePageRank(graph));
const reference = timed('reference', () => solvePageRank(nodes, links));
const known = gathered.names().map((name) => Number(name.slice(4, -8)));
// Domains without any link are in the reference only; among the others they change no order.
const whole = known.reduce((sum, node) => sum + (reference[node] ?? NaN), 0);
const expected = Float64Array.from(known, (node) => (reference[node] ?? NaN) / whole);
const correlation = rankCorrelation(ranks, expected);
const differences = expected.map((one, node) => Math.abs(one - (ranks[node] ?? NaN)) / one);
tellFigure({ what: 'rank correlation', value: correlation, unit: '', baseline: 1 });
console.log(
  `${known.length} domains, rank correlation ${correlation.toFixed(9)}, ` +
    `at most ${differences.reduce((most, one) => Math.max(most, one), 0).toExponential(1)} apart; ` +
    `${Math.round(process.resourceUsage().maxRSS / 1_024)} MB at most`,
);
