/** One block as the choice sees it. */
export interface Candidate {
  /** How much it weighs. */
  words: number;
  /** How likely it is content, 0 to 1. */
  likely: number;
  /** How much of it Readability takes for the article; -1 where it has no opinion. */
  readable: number;
}

/** From where on a block is taken: on an article by Readability's opinion of it, elsewhere by the model alone. */
const articleReadable = 0.4;
const articleOther = 0.9;
const elsewhere = 0.42;
/** Readability's opinion counts where it has found this many words. */
const leastReadable = 60;
/** With fewer words than this, what is likeliest is taken, whatever the bounds. */
const leastWords = 20;

/**
 * Chooses blocks by how likely each is.
 * @param isArticle that Readability was made for.
 * @returns which blocks, and the F1 to expect of the choice.
 */
export function pickBlocks(
  blocks: readonly Candidate[],
  isArticle: boolean,
): { picked: Uint8Array; expected: number } {
  const readable = blocks.reduce((sum, block) => sum + (block.readable >= 0.5 ? block.words : 0), 0);
  const trusts = isArticle && readable >= leastReadable;
  const bound = (block: Candidate): number =>
    trusts ? (block.readable >= 0.5 ? articleReadable : articleOther) : elsewhere;
  const picked = Uint8Array.from(blocks, (block) =>
    block.words > 0 && block.likely >= bound(block) ? 1 : 0,
  );
  const taken = blocks.reduce((sum, block, i) => sum + (picked[i] === 1 ? block.words : 0), 0);
  if (taken < leastWords) addLikeliest(blocks, picked);
  return { picked, expected: expectedF1(blocks, picked) };
}

/** The set whose expected F1 is best (Lipton, Elkan, Naryanaswamy 2014). */
function addLikeliest(blocks: readonly Candidate[], picked: Uint8Array): void {
  const order = [...blocks.keys()].sort((a, b) => (blocks[b]?.likely ?? 0) - (blocks[a]?.likely ?? 0));
  const sure = blocks.reduce((sum, { words, likely }) => sum + words * likely, 0);
  let [best, hits, taken] = [0, 0, 0];
  for (const i of order) {
    const { words, likely } = blocks[i] as Candidate;
    if (words === 0) continue;
    const better = (2 * (hits + words * likely)) / (taken + words + sure);
    if (better < best) break;
    [best, hits, taken] = [better, hits + words * likely, taken + words];
    picked[i] = 1;
  }
}

function expectedF1(blocks: readonly Candidate[], picked: Uint8Array): number {
  let [hits, taken, sure] = [0, 0, 0];
  for (const [i, { words, likely }] of blocks.entries()) {
    sure += words * likely;
    if (picked[i] !== 1) continue;
    hits += words * likely;
    taken += words;
  }
  return taken + sure > 0 ? (2 * hits) / (taken + sure) : 0;
}
