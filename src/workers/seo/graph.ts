import type { Graph } from '../../shared/db/backlinks.ts';
import type { SeoDataset } from '../../shared/db/seo-datasets.ts';

export interface ImportedGraph extends Graph {
  dataset: SeoDataset;
}

/** The newest release of which both files are there. */
export function chooseGraph(datasets: readonly SeoDataset[]): ImportedGraph | null {
  for (const vertices of datasets.filter(({ kind }) => kind === 'commoncrawl-vertices')) {
    const edges = datasets.find(({ kind, name }) => kind === 'commoncrawl-edges' && name === vertices.name);
    if (edges !== undefined) return { verticesId: vertices.id, edgesId: edges.id, dataset: edges };
  }
  return null;
}
