import type { Block, PageBlocks, Scope } from './blocks.ts';
import { groupIndex } from './class-words.ts';
import { isOnFrame } from './code-frames.ts';
import { countWords } from './content-text.ts';
import { isAside } from './keep-images.ts';
import { keepHeadings } from './keep-headings.ts';
import { isNote } from './keep-labels.ts';
import { sizeOf } from './text-size.ts';

const headings = new Set('h2 h3 h4 h5 h6'.split(' '));
const lists = new Set('ul ol dl'.split(' '));
const parts = new Set([...headings, ...lists, 'pre', 'table', 'blockquote']);
const frames = new Set('div figure section'.split(' '));
/** More of its characters in links, and it leads elsewhere. */
const mostLinked = 0.4;
const elsewhere = (
  ['nav', 'related', 'share', 'ad', 'form', 'popup', 'comment', 'filter', 'tags'] as const
).reduce((bits, name) => bits | (1 << groupIndex[name]), 0);
/** Notes and windows that open are both called so. */
const alerts = 1 << groupIndex.popup;

/**
 * Keeps what reads unlike running text but belongs to it: code, lists, tables, quotes, notes and headings between two picked
 * blocks of the same element, what a picked heading announces, and the few items of a list that are not picked where most are.
 * @param beside of each block, whether it stands in a menu, a foot or the like.
 */
export function keepParts(page: PageBlocks, beside: readonly boolean[], picked: Uint8Array): void {
  const { blocks, scopes } = page;
  const chars = sums(blocks, ({ text }) => sizeOf(text));
  const linked = sums(blocks, ({ linkChars, controls }) => linkChars + controls);
  const besides = sums(blocks, (_, i) => Number(beside[i] ?? false));
  const fits = ({ first, end, hidden, names }: Scope, places = elsewhere): boolean =>
    !hidden &&
    (names & places) === 0 &&
    within(besides, first, end) === 0 &&
    within(chars, first, end) > 0 &&
    within(linked, first, end) <= mostLinked * within(chars, first, end);
  keepItems(scopes, fits, picked);
  const { next, last } = textsBeside(blocks);
  const keepOwn = (): void => keepHeadings(page, { beside, next, fits }, picked);
  keepOwn();
  const codes = sums(blocks, ({ preformatted, text }) => (preformatted && text !== '' ? 1 : 0));
  const prose = sums(blocks, (block) => (block.preformatted || isOnFrame(block) ? 0 : 1));
  const codesBeside = sums(blocks, ({ preformatted }, i) => (preformatted && beside[i] === true ? 1 : 0));
  // On the frame of code stand the name of its file, that of its language, and buttons.
  const framesCode = ({ tag, first, end, hidden, names }: Scope): boolean =>
    (frames.has(tag) || tag.includes('-')) &&
    within(codes, first, end) > 0 &&
    within(prose, first, end) === 0 &&
    !hidden &&
    (names & elsewhere) === 0 &&
    within(codesBeside, first, end) === 0;
  const pressed = sums(blocks, ({ controls }) => controls);
  // One with a button offers something.
  const tells = (scope: Scope): boolean =>
    isNote(scope) && within(pressed, scope.first, scope.end) === 0 && fits(scope, elsewhere & ~alerts);
  const framing = framesOfParts(page);
  const isPart = (scope: Scope): boolean =>
    parts.has(scope.tag)
      ? fits(scope)
      : tells(scope) || framesCode(scope) || (framing.has(scope) && fits(scope));
  const missing = sums(blocks, ({ text }, i) => (text !== '' && picked[i] !== 1 ? 1 : 0));
  const open = new Map<Scope, { end: number }>();
  const runs: { parent: Scope; lead: Scope; first: number; end: number }[] = [];
  const announcing = new Map<Scope, Scope>();
  for (const scope of scopes) {
    const { parent, first, end } = scope;
    if (parent === null || within(missing, first, end) === 0) continue;
    if (announces(scope, blocks) && fits(scope)) announcing.set(parent, scope);
    if (!isPart(scope)) continue;
    const line = announcing.get(parent);
    const from = line !== undefined && (next[line.end] as number) >= first ? line.first : first;
    const run = open.get(parent);
    if (run !== undefined && (next[run.end] as number) >= from) run.end = end;
    else {
      const begun = { parent, lead: scope, first: from, end };
      open.set(parent, begun);
      runs.push(begun);
    }
  }
  for (const { parent, lead, first, end } of runs) {
    const [before, after] = [last[first] as number, next[end] as number];
    if (before < parent.first || picked[before] !== 1) continue;
    const isEnd = after >= parent.end && (lead.tag === 'pre' || framesCode(lead));
    if (isEnd || (after < parent.end && picked[after] === 1)) picked.fill(1, first, end);
    else if (headings.has(blocks[before]?.scope.tag ?? '') && !headings.has(lead.tag))
      picked.fill(1, first, lead.end);
  }
  keepOwn();
}

/**
 * What stands for the lists, tables and the like in it: it has no other text but captions, nothing that leads elsewhere,
 * and no list of single words, as buttons are.
 */
function framesOfParts({ blocks, scopes }: PageBlocks): Set<Scope> {
  const [holding, mixed] = [new Set<Scope>(), new Set<Scope>()];
  for (const block of blocks) if (!isAside(block)) mixed.add(block.scope);
  const told = new Map<Scope, number>();
  for (const { parent, tag, first } of scopes) {
    if (parent === null || tag !== 'li') continue;
    const isTold = countWords(blocks[first]?.text.slice(0, 200) ?? '') > 1;
    told.set(parent, (told.get(parent) ?? 0) + (isTold ? 1 : -1));
  }
  for (const scope of scopes.toReversed()) {
    const { parent, tag, names } = scope;
    if (parent === null) continue;
    const isPart = parts.has(tag);
    if (isPart || holding.has(scope)) holding.add(parent);
    const isOther = isPart ? (told.get(scope) ?? 1) <= 0 : mixed.has(scope);
    if ((names & elsewhere) !== 0 || isOther) mixed.add(parent);
  }
  return new Set([...holding].filter((scope) => frames.has(scope.tag) && !mixed.has(scope)));
}

/** A line that says what stands below it. */
const announces = ({ tag, first, end }: Scope, blocks: readonly Block[]): boolean =>
  tag === 'p' && end - first === 1 && [':', '：'].includes(blocks[first]?.text.at(-1) ?? '');

/** Takes the rest of a list's items where most are picked, and of the parts of an accordion where half are. */
function keepItems(scopes: readonly Scope[], fits: (scope: Scope) => boolean, picked: Uint8Array): void {
  const items = new Map<Scope, Scope[]>();
  for (const scope of scopes) {
    const { parent, tag } = scope;
    if (parent === null) continue;
    const isItem = lists.has(parent.tag) && (tag === 'li' || tag === 'dt' || tag === 'dd');
    if (!isItem && tag !== 'details') continue;
    const known = items.get(parent);
    if (known === undefined) items.set(parent, [scope]);
    else known.push(scope);
  }
  for (const all of items.values()) {
    const left = all.filter(({ first, end }) => !picked.subarray(first, end).includes(1));
    const most = all[0]?.tag === 'details' ? all.length / 2 : (all.length - 1) / 2;
    if (left.length === 0 || left.length > most) continue;
    for (const item of left) if (fits(item)) picked.fill(1, item.first, item.end);
  }
}

/** Running totals, so that what a scope holds is one subtraction. */
function sums(blocks: readonly Block[], of: (block: Block, index: number) => number): Float64Array {
  const totals = new Float64Array(blocks.length + 1);
  for (const [i, block] of blocks.entries()) totals[i + 1] = (totals[i] as number) + of(block, i);
  return totals;
}

const within = (totals: Float64Array, first: number, end: number): number =>
  (totals[end] as number) - (totals[first] as number);

/** Of each place, the index of the next block with text from there on, and of the last one before it; captions are none. */
function textsBeside(blocks: readonly Block[]): { next: Int32Array; last: Int32Array } {
  const next = new Int32Array(blocks.length + 1).fill(blocks.length);
  const last = new Int32Array(blocks.length + 1).fill(-1);
  for (const [i, block] of blocks.entries()) last[i + 1] = isAside(block) ? (last[i] as number) : i;
  for (let i = blocks.length - 1; i >= 0; i--)
    next[i] = isAside(blocks[i] as Block) ? (next[i + 1] as number) : i;
  return { next, last };
}
