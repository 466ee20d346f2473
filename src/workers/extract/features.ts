import { at, between, log, measure, type Plain, sentenceEnds, share, Totals } from './block-measures.ts';
import type { PageBlocks, Scope } from './blocks.ts';
import { groupIndex, groupNames } from './class-words.ts';
import { distancesOf, distanceTags, far } from './name-distances.ts';
import type { PageFacts } from './page-facts.ts';
import type { PageHints } from './page-kind.ts';
import { badHeading, boilerplate, dateLike, priceLike } from './phrases.ts';
import { findRoot } from './running-text.ts';
import { containment, structuredShingles, wordsOf } from './shingles.ts';

/** Blocks by their numbers: one row a block, one column a feature. */
export interface Features {
  names: readonly string[];
  rows: Float32Array[];
  plain: readonly Plain[];
}

const ancestorLevels = 5;

export function describeBlocks(
  { blocks, scopes }: PageBlocks,
  facts: PageFacts,
  hints: PageHints,
  readable: Float32Array,
): Features {
  const plain = blocks.map(measure);
  const goods = plain.map((one) =>
    one.sentences > 0 && one.words >= 8 && one.link < one.chars * 0.4 ? one.chars - one.link : 0,
  );
  const totals = new Totals(plain, goods);
  const size = blocks.length;
  const all = at(totals.chars, size);
  const allGood = at(totals.good, size);
  const { groups, tags } = distancesOf(scopes);
  const root = findRoot(blocks, plain, totals);
  const rootChain = new Map<Scope, number>();
  for (let scope = root, up = 0; scope !== null; scope = scope.parent, up++) rootChain.set(scope, up);
  const shingles = structuredShingles(facts);
  const titles = new Set(
    wordsOf([facts.title, facts.meta.get('og:title')].filter((text) => text != null).join(' ')),
  );
  const descriptions = wordsOf(facts.meta.get('og:description') ?? facts.meta.get('description') ?? '');
  const describing = new Set<string>();
  for (let i = 0; i + 5 <= descriptions.length; i++) describing.add(descriptions.slice(i, i + 5).join(' '));
  const copies = new Map<string, number>();
  for (const { text } of blocks) copies.set(text, (copies.get(text) ?? 0) + 1);
  const firstH1 = blocks.findIndex((block) => block.scope.tag === 'h1');
  const longBefore = new Float64Array(size + 1);
  const lastLong = new Int32Array(size);
  for (let i = 0, last = -1; i < size; i++) {
    lastLong[i] = last;
    const isLong = (goods[i] ?? 0) > 80;
    longBefore[i + 1] = at(longBefore, i) + (isLong ? 1 : 0);
    if (isLong) last = i;
  }
  const nextLong = new Int32Array(size);
  for (let i = size - 1, next = size; i >= 0; i--) {
    nextLong[i] = next;
    if ((goods[i] ?? 0) > 80) next = i;
  }
  const prices = blocks.reduce(
    (count, { text }) => count + (text.length < 80 && priceLike.test(text) ? 1 : 0),
    0,
  );
  const codes = blocks.reduce((count, { preformatted }) => count + (preformatted ? 1 : 0), 0);
  const commentBlocks = blocks.reduce((count, { scope }) => {
    return count + ((groups.get(scope)?.[groupIndex.comment] ?? far) < far ? 1 : 0);
  }, 0);
  const articles = scopes.reduce((count, { tag }) => count + (tag === 'article' ? 1 : 0), 0);

  const readMass = new Float64Array(size + 1);
  for (let i = 0; i < size; i++) {
    readMass[i + 1] = at(readMass, i) + Math.max(0, at(readable, i)) * (plain[i]?.chars ?? 0);
  }
  const pageColumns: [string, number][] = [
    ...Object.entries(hints).map(([name, value]) => [`page_${name}`, value] as [string, number]),
    ['page_blocks', log(size)],
    ['page_chars', log(all)],
    ['page_links', share(at(totals.link, size), all)],
    ['page_good', share(allGood, all)],
    ['page_goodChars', log(allGood)],
    ['page_prices', log(prices)],
    ['page_codes', log(codes)],
    ['page_comments', share(commentBlocks, size)],
    ['page_articles', log(articles)],
    ['page_structured', log(shingles.size)],
    ['page_readable', share(at(readMass, size), all)],
    ['page_readableChars', log(at(readMass, size))],
    ['page_rootShare', root === null ? 0 : share(between(totals.good, root.first, root.end), allGood)],
  ];

  const names: string[] = [];
  const rows: Float32Array[] = [];
  let headingBad = 0;
  let headingAt = -100;
  let headingLevel = 7;
  let headingText = '';
  for (const [i, block] of blocks.entries()) {
    const one = plain[i] as Plain;
    const { scope, text } = block;
    const values: number[] = [];
    const isFirst = i === 0;
    const put = (name: string, value: number): void => {
      if (isFirst) names.push(name);
      values.push(value);
    };
    const level = /^h[1-6]$/.test(scope.tag) ? Number(scope.tag[1]) : 0;
    if (level > 0 && text !== '') {
      headingBad = badHeading.test(text) ? 1 : 0;
      headingAt = i;
      headingLevel = level;
      headingText = text;
    }
    const words = wordsOf(text.slice(0, 20_000));
    const short = text.slice(0, 400);

    put('chars', log(one.chars));
    put('words', log(one.words));
    put('link', share(one.link, one.chars));
    put('links', log(block.links));
    put('sentences', log(one.sentences));
    put('ends', sentenceEnds.has(text.at(-1) ?? '') ? 2 : /[:,;]$/.test(text) ? 1 : 0);
    put('commas', share(one.commas, one.words));
    put('digits', share(one.digits, one.chars));
    put('upper', share(one.upper, one.chars));
    put('wordLength', share(one.chars, one.words));
    put('lower', /^\p{Ll}/u.test(text) ? 1 : 0);
    put('bold', share(block.boldChars, one.chars));
    put('code', share(block.codeChars, one.chars));
    put('control', share(block.controls, one.chars));
    put('images', Math.min(5, block.images));
    put('lines', Math.min(20, text.split('\n', 21).length));
    put('heading', level);
    put('tag', tagNumbers.get(scope.tag) ?? 0);
    put('boilerplate', boilerplate.test(short) ? 1 : 0);
    put('boilerplateShort', one.words < 12 && boilerplate.test(short) ? 1 : 0);
    put('date', dateLike.test(short) ? 1 : 0);
    put('price', priceLike.test(short) ? 1 : 0);
    put('copyright', /©|\(c\) ?\d{4}|all rights reserved/i.test(short) ? 1 : 0);
    put('byline', /^(?:by|von|par|por|written by|text by|photo|credit|source|image)\b/i.test(text) ? 1 : 0);
    put('copies', Math.min(10, copies.get(text) ?? 1));
    put('hidden', scope.hidden ? 1 : 0);
    put('depth', Math.min(60, scope.depth));
    put('position', share(i, size));
    put('charsBefore', share(at(totals.chars, i), all));
    put('goodBefore', share(at(totals.good, i), allGood));
    put('longBefore', log(at(longBefore, i)));
    put('longAfter', log(at(longBefore, size) - at(longBefore, i + 1)));
    put('sinceLong', log(i - (lastLong[i] ?? 0)));
    put('untilLong', log((nextLong[i] ?? size) - i));
    put('sinceLongChars', log(between(totals.chars, (lastLong[i] ?? 0) + 1, i)));
    put('untilLongChars', log(between(totals.chars, i + 1, nextLong[i] ?? size)));
    put('afterH1', firstH1 < 0 ? 0 : Math.max(-50, Math.min(200, i - firstH1)));
    put('headingBad', headingBad);
    put('sinceHeading', Math.min(50, i - headingAt));
    put('headingLevel', headingLevel);
    put('headingWords', Math.min(20, headingText.split(' ').length));
    const inTitle = words.filter((word) => titles.has(word)).length;
    put('titleShare', share(inTitle, words.length));
    put('titleFull', share(inTitle, titles.size));
    put('structured', containment(words, shingles));
    put('described', containment(words, describing));
    put('readable', at(readable, i));
    for (const step of [-3, -2, -1, 1, 2, 3]) {
      put(`readable${step}`, i + step < 0 || i + step >= size ? -1 : at(readable, i + step));
    }
    put('readableBefore', share(at(readMass, i), at(readMass, size)));
    put(
      'readableAround',
      share(
        between(readMass, Math.max(0, i - 6), Math.min(size, i + 7)),
        between(totals.chars, Math.max(0, i - 6), Math.min(size, i + 7)),
      ),
    );
    for (const [column, value] of pageColumns) put(column, value);

    // Around it.
    for (const step of [-3, -2, -1, 1, 2, 3]) {
      const other = plain[i + step];
      const near = blocks[i + step];
      put(`near${step}_chars`, other === undefined ? -1 : log(other.chars));
      put(`near${step}_link`, other === undefined ? -1 : share(other.link, other.chars));
      if (Math.abs(step) === 1) {
        put(`near${step}_tag`, near === undefined ? -1 : (tagNumbers.get(near.scope.tag) ?? 0));
        put(`near${step}_sentences`, other === undefined ? -1 : log(other.sentences));
        put(`near${step}_sameTag`, near?.scope.tag === scope.tag ? 1 : 0);
        put(`near${step}_sameParent`, near?.scope.parent === scope.parent ? 1 : 0);
      }
    }
    for (const reach of [5, 12, 30]) {
      const [first, end] = [Math.max(0, i - reach), Math.min(size, i + reach + 1)];
      const chars = between(totals.chars, first, end);
      put(`around${reach}_good`, share(between(totals.good, first, end), chars));
      put(`around${reach}_chars`, log(chars / (end - first)));
      put(`around${reach}_link`, share(between(totals.link, first, end), chars));
      put(`before${reach}_good`, share(between(totals.good, first, i), between(totals.chars, first, i)));
      put(`after${reach}_good`, share(between(totals.good, i + 1, end), between(totals.chars, i + 1, end)));
    }

    // What it stands in: enclosing scopes that hold more than the one before.
    let outer: Scope | null = scope;
    let [most, mostLevel, direct] = [1, 0, 1];
    for (let up = 0, s: Scope | null = scope; s !== null && up < 14; s = s.parent, up++) {
      if (up < 2) direct = Math.max(direct, s.alike.length);
      if (s.alike.length > most) [most, mostLevel] = [s.alike.length, up];
    }
    put('repeats', log(direct));
    put('repeatsMost', log(most));
    put('repeatsLevel', mostLevel);
    for (let n = 1; n <= ancestorLevels; n++) {
      const [first, end]: [number, number] = outer === null ? [0, size] : [outer.first, outer.end];
      const chars = between(totals.chars, first, end);
      put(`in${n}_chars`, log(chars));
      put(`in${n}_blocks`, log(end - first));
      put(`in${n}_link`, share(between(totals.link, first, end), chars));
      put(`in${n}_good`, share(between(totals.good, first, end), chars));
      if (n < 4) put(`in${n}_readable`, share(between(readMass, first, end), chars));
      put(`in${n}_share`, share(between(totals.good, first, end), allGood));
      put(`in${n}_repeats`, outer === null ? 0 : log(outer.alike.length));
      while (outer !== null && outer.end - outer.first <= end - first) outer = outer.parent;
    }
    let common: Scope | null = scope;
    let toRoot = 0;
    while (common !== null && !rootChain.has(common)) {
      common = common.parent;
      toRoot++;
    }
    put('rootDown', Math.min(20, toRoot));
    put('rootUp', common === null ? 30 : Math.min(30, rootChain.get(common) ?? 30));
    put('rootSide', root === null ? 0 : i < root.first ? -1 : i >= root.end ? 1 : 0);
    const own = groups.get(scope);
    const ownTags = tags.get(scope);
    for (let g = 0; g < groupNames.length; g++) {
      put(`word_${groupNames[g]}`, block.innerNames & (1 << g) ? -1 : (own?.[g] ?? far));
    }
    for (let t = 0; t < distanceTags.length; t++) put(`tag_${distanceTags[t]}`, ownTags?.[t] ?? far);
    rows.push(Float32Array.from(values));
  }
  return { names, rows, plain };
}

const tagNumbers = new Map(
  'div p li h1 h2 h3 h4 h5 h6 td th pre blockquote figcaption dt dd section article a summary main header footer aside nav form address caption label'
    .split(' ')
    .map((tag, index) => [tag, index + 1]),
);
