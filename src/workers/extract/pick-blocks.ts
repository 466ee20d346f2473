/** One block as the choice sees it. */
export interface Candidate {
  /** How much it weighs. */
  words: number;
  /** How likely it is content, 0 to 1. */
  likely: number;
  /** How much of it Readability takes for the article; -1 where it has no opinion. */
  readable: number;
  /** Whether it stands in a menu, a foot or the like. */
  beside: boolean;
  /** Whether it stands among what buyers say of what is sold. */
  opinion: boolean;
}

/** From where on a block is taken: on an article by Readability's opinion of it, elsewhere by the model alone. */
const articleReadable = 0.4;
const articleOther = 0.8;
const elsewhere = 0.42;
/** And what stands in a menu or the like, but of a thread: there names such as `side` mean little. */
const elsewhereBeside = 0.65;
/** Reviews read like the best of text, and are none of what is sold. */
const elsewhereOpinion = 0.96;
/** Readability's opinion counts where it has found this many words, */
const leastReadable = 60;
/** and so much of what is likely in the eyes of the model. */
const leastAgreed = 0.8;
const likelyEnough = 0.6;
/**
 * Where the choice is not sure and takes less than this of the text that stands in no menu or the like, the bound is too
 * high for such a page (a list of short entries, say): all of that text is taken but what is unlikelier than `unlikely`.
 */
export const sureEnough = 0.8;
const leastTaken = 0.25;
const unlikely = 0.01;
/** With fewer words than this, what is likeliest is taken, whatever the bounds. */
const leastWords = 20;
/** Of a page with this many words, nothing of menus and the like is taken then, since it may show nothing else; with fewer
 * outside of those, all that stands there. */
const furnished = 100;

export type PageSort = 'article' | 'thread' | 'other';

export interface Choice {
  picked: Uint8Array;
  /** Whether Readability has found the same. */
  agreed: boolean;
  /** Whether blocks were taken that are under the bound. */
  widened: boolean;
}

/**
 * Chooses blocks by how likely each is.
 * @param sort Readability was made for articles.
 */
export function pickBlocks(blocks: readonly Candidate[], sort: PageSort): Choice {
  const trusts = sort === 'article' && agrees(blocks);
  const bound = ({ readable, beside, opinion }: Candidate): number => {
    if (trusts) return readable >= 0.5 ? articleReadable : articleOther;
    if (opinion) return elsewhereOpinion;
    return beside && sort !== 'thread' ? elsewhereBeside : elsewhere;
  };
  const picked = Uint8Array.from(blocks, (block) =>
    block.words > 0 && block.likely >= bound(block) ? 1 : 0,
  );
  const bounded = picked.slice();
  if (!trusts) widen(blocks, picked);
  const taken = blocks.reduce((sum, { words }, i) => sum + (picked[i] === 1 ? words : 0), 0);
  if (taken < leastWords) takeLikeliest(blocks, picked);
  return { picked, agreed: trusts, widened: bounded.some((one, i) => one !== picked[i]) };
}

/** Whether Readability has found the page's content, and not a part of it only. */
function agrees(blocks: readonly Candidate[]): boolean {
  let [found, sure, both] = [0, 0, 0];
  for (const { words, likely, readable } of blocks) {
    if (readable >= 0.5) found += words;
    if (likely < likelyEnough) continue;
    sure += words;
    if (readable >= 0.5) both += words;
  }
  return found >= leastReadable && both >= leastAgreed * sure;
}

function widen(blocks: readonly Candidate[], picked: Uint8Array): void {
  let [taken, all] = [0, 0];
  for (const [i, { words, beside }] of blocks.entries()) {
    if (picked[i] === 1) taken += words;
    if (picked[i] === 1 || !beside) all += words;
  }
  if (taken >= leastTaken * all || expectedF1(blocks, picked) >= sureEnough) return;
  for (const [i, { words, likely, beside }] of blocks.entries()) {
    if (!beside && words > 0 && likely >= unlikely) picked[i] = 1;
  }
}

/**
 * Adds all of a small page that stands in no menu or the like: no part of so little is more the page than another. Of a
 * larger one, the set whose expected F1 is best (Lipton, Elkan, Naryanaswamy 2014).
 */
function takeLikeliest(blocks: readonly Candidate[], picked: Uint8Array): void {
  const own = blocks.reduce((sum, { words, beside }) => sum + (beside ? 0 : words), 0);
  if (own > 0 && own < furnished) {
    for (const [i, { words, beside }] of blocks.entries()) picked[i] = words > 0 && !beside ? 1 : 0;
    return;
  }
  const isFurnished = blocks.reduce((sum, { words }) => sum + words, 0) >= furnished;
  const order = [...blocks.keys()]
    .filter((i) => !isFurnished || blocks[i]?.beside === false)
    .sort((a, b) => (blocks[b]?.likely ?? 0) - (blocks[a]?.likely ?? 0));
  if (order.every((i) => blocks[i]?.words === 0)) picked.fill(0);
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

/** Were each block content as often as it is likely. */
export function expectedF1(blocks: readonly Candidate[], picked: Uint8Array): number {
  let [hits, taken, sure] = [0, 0, 0];
  for (const [i, { words, likely }] of blocks.entries()) {
    sure += words * likely;
    if (picked[i] !== 1) continue;
    hits += words * likely;
    taken += words;
  }
  return taken + sure > 0 ? (2 * hits) / (taken + sure) : 0;
}
