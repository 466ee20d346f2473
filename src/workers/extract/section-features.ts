import { at, between, log, type Plain, share, type Totals } from './block-measures.ts';
import type { Block, Scope } from './blocks.ts';
import { far } from './name-distances.ts';
import { aboutHeading, badHeading, priceLike } from './phrases.ts';

export const sectionNames: readonly string[] = [
  'sectionBad',
  'sectionAbout',
  'card_count',
  'card_chars',
  'card_blocks',
  'card_link',
  'card_good',
  'card_share',
  'card_priced',
  'card_pictured',
  'card_up',
];

const fewestCards = 3;
/** A card has more than one line, on the average. */
const fewestLines = 1.5;
/** A line with more words announces nothing. */
const longestHeading = 8;

const noCard = sectionNames.slice(2).map((name) => (name === 'card_up' ? far : -1));

/** One row a block, its columns `sectionNames`: what the parts of the page that it stands in are announced as, and whether it is a line of one of many cards. */
export function describeSections(
  blocks: readonly Block[],
  scopes: readonly Scope[],
  plain: readonly Plain[],
  totals: Totals,
): (block: Block) => readonly number[] {
  const size = blocks.length;
  const prices = new Float64Array(size + 1);
  const images = new Float64Array(size + 1);
  for (const [i, { text, images: own }] of blocks.entries()) {
    prices[i + 1] = at(prices, i) + (text.length < 80 && priceLike.test(text) ? 1 : 0);
    images[i + 1] = at(images, i) + own;
  }
  const all = at(totals.chars, size);
  const announced = new Map<Scope, readonly [bad: number, about: number]>();
  for (const scope of scopes) {
    const outer: readonly [number, number] | undefined =
      scope.parent === null ? undefined : announced.get(scope.parent);
    const [bad, about] = announcementOf(scope, blocks, plain);
    announced.set(scope, [
      bad ? 0 : Math.min(far, (outer?.[0] ?? far) + 1),
      about ? 0 : Math.min(far, (outer?.[1] ?? far) + 1),
    ]);
  }
  const cards = new Map<readonly Scope[], readonly number[] | null>();
  const cardsOf = (alike: readonly Scope[]): readonly number[] | null => {
    const known = cards.get(alike);
    if (known !== undefined) return known;
    const count = alike.length;
    let [chars, lines, linked, good, priced, pictured] = [0, 0, 0, 0, 0, 0];
    for (const { first, end } of alike) {
      chars += between(totals.chars, first, end);
      lines += end - first;
      linked += between(totals.link, first, end);
      good += between(totals.good, first, end);
      if (between(prices, first, end) > 0) priced++;
      if (between(images, first, end) > 0) pictured++;
    }
    const row =
      lines < fewestLines * count
        ? null
        : [
            log(count),
            log(chars / count),
            log(lines / count),
            share(linked, chars),
            share(good, chars),
            share(chars, all),
            priced / count,
            pictured / count,
          ];
    cards.set(alike, row);
    return row;
  };
  return ({ scope }) => {
    const heard = announced.get(scope) ?? [far, far];
    for (let up = 0, s: Scope | null = scope; s !== null && up < far; s = s.parent, up++) {
      const row = s.alike.length < fewestCards ? null : cardsOf(s.alike);
      if (row !== null) return [...heard, ...row, up];
    }
    return [...heard, ...noCard];
  };
}

/** Whether the first line of what stands in a scope says that it leads elsewhere, or that it is what the page is about. */
function announcementOf(
  { first, end }: Scope,
  blocks: readonly Block[],
  plain: readonly Plain[],
): [isBad: boolean, isAbout: boolean] {
  let lead = first;
  while (lead < end && blocks[lead]?.text === '') lead++;
  if (end - lead < 2 || (plain[lead]?.words ?? 0) > longestHeading) return [false, false];
  const text = blocks[lead]?.text ?? '';
  return [badHeading.test(text), aboutHeading.test(text)];
}
