/**
 * Within how many elements above a block one of these makes it furniture of the site: menus, heads and feet, sidebars,
 * filters, what pops up. Columns of `describeBlocks`; one of a tag without end of its own reaches all that is in it.
 */
const reaches: readonly (readonly [column: string, below: number])[] = [
  ['tag_nav', 15],
  ['tag_footer', 15],
  ['tag_aside', 15],
  ['tag_header', 8],
  ['word_nav', 6],
  ['word_footer', 6],
  ['word_filter', 7],
  ['word_popup', 6],
  ['word_side', 4],
  ['word_related', 5],
];

/** Forum programs name parts of a post so (`select-to-quote`, `post-layout--right`): of a thread they say nothing. */
const usedByPosts = new Set(['word_filter', 'word_side', 'word_related', 'tag_header']);

/** And on a page that sells something: what buyers say of it. */
const opinions: typeof reaches = [
  ['word_rating', 6],
  ['word_comment', 6],
];

/** Of each block, whether it stands beside what the page is about. */
export function standBeside(
  names: readonly string[],
  rows: readonly Float32Array[],
  kind: { isForSale: boolean; isThread: boolean },
): boolean[] {
  const known = kind.isThread ? reaches.filter(([name]) => !usedByPosts.has(name)) : reaches;
  const beside = standWithin(known, names, rows);
  const opinion = tellOpinions(names, rows, kind);
  return beside.map((one, i) => one || opinion[i] === true);
}

/** Of each block, whether it stands among what buyers say of what is sold. */
export function tellOpinions(
  names: readonly string[],
  rows: readonly Float32Array[],
  { isForSale, isThread }: { isForSale: boolean; isThread: boolean },
): boolean[] {
  return isForSale && !isThread ? standWithin(opinions, names, rows) : rows.map(() => false);
}

function standWithin(
  known: typeof reaches,
  names: readonly string[],
  rows: readonly Float32Array[],
): boolean[] {
  const columns = known.map(([name, below]) => ({ at: names.indexOf(name), below }));
  return rows.map((row) => columns.some(({ at, below }) => (row[at] ?? below) < below));
}
