import { createGrowingGraph } from '../src/seo/growing-graph.ts';
import { computePageRank } from '../src/seo/pagerank.ts';
import { randomLinks, rankCorrelation, referencePageRank } from '../test/support/reference-pagerank.ts';
import { tellFigure } from './figures.ts';

/**
 * PageRank of 5 million links between 1 million domains (or as many links as the argument says) against a reference
 * implementation that is read off the formula: rank correlation (Spearman), time and memory of each.
 */
const linkCount = Number(process.argv[2] ?? 5_000_000);

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
  console.log(`${what}: ${seconds.toFixed(1)} s, ${Math.round(megabytes() - before)} MB more than before`);
  return result;
}

const links = randomLinks(linkCount / 5, linkCount, 11);
console.log(`${links.length} links between at most ${linkCount / 5} domains`);
const gathered = timed('gathered', () => {
  const growing = createGrowingGraph();
  for (const [from, to] of links) growing.add(`site${from}.example`, `site${to}.example`);
  return growing;
});
const graph = gathered.graph();
const ranks = timed('PageRank on typed arrays', () => computePageRank(graph));
const reference = timed('reference', () => referencePageRank(links));
const names = gathered.names();
const expected = Float64Array.from(names, (name) => reference.get(Number(name.slice(4, -8))) ?? NaN);
tellFigure({ what: 'rank correlation', value: rankCorrelation(ranks, expected), unit: '', baseline: 1 });
console.log(`${names.length} domains, rank correlation ${rankCorrelation(ranks, expected).toFixed(9)}`);
