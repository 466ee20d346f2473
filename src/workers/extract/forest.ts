/**
 * Gradient-boosted regression trees (Friedman 2001) for a yes-or-no answer. A tree is a flat list of nodes, three
 * numbers each: the feature's column, the threshold, the number of the node for values at or below it (the next one is
 * for those above); a leaf is -1, its value, 0.
 */
export interface Forest {
  /** Names of the features, in the order of a row. */
  features: readonly string[];
  bias: number;
  trees: readonly (readonly number[])[];
}

/** How likely the answer is yes, 0 to 1. */
export function predict({ trees, bias }: Forest, row: Float32Array): number {
  let sum = bias;
  for (const tree of trees) {
    let at = 0;
    for (;;) {
      const feature = tree[at] as number;
      if (feature < 0) break;
      const below = tree[at + 2] as number;
      at = 3 * ((row[feature] as number) <= (tree[at + 1] as number) ? below : below + 1);
    }
    sum += tree[at + 1] as number;
  }
  return 1 / (1 + Math.exp(-sum));
}

/** The same forest for rows whose columns are these: columns that it does not know are passed over. */
export function bindForest(forest: Forest, columns: readonly string[]): Forest {
  const places = new Map(columns.map((name, index) => [name, index]));
  const placeOf = (feature: number): number => {
    const place = places.get(forest.features[feature] ?? '');
    if (place === undefined)
      throw new Error(`The block model asks for ${forest.features[feature]}, which no row has.`);
    return place;
  };
  const trees = forest.trees.map((tree) =>
    tree.map((value, at) => (at % 3 === 0 && value >= 0 ? placeOf(value) : value)),
  );
  return { ...forest, features: columns, trees };
}
