import type { Block, PageBlocks, Scope } from './blocks.ts';
import { type Candidate, expectedF1, sureEnough } from './pick-blocks.ts';
import { countInk } from './text-size.ts';

const fewestEntries = 3;
/** A longer one is a part of the page by itself, no entry of a list. */
const mostEntryWords = 120;
/** So much of a line is links or buttons where it is one. */
const mostlyControl = 0.8;
/** A choice that takes less of the text that stands in no menu or the like has missed a list that holds `listShare` of it. */
const leastTaken = 0.25;
const listShare = 0.5;

interface Weighed {
  page: PageBlocks;
  candidates: readonly Candidate[];
}

/**
 * Takes the list that holds most of a page's text where hardly any of that text was chosen: headlines with their sites
 * and points, the rows of an index, results of a search. A single line of them reads like one of a menu.
 * @returns whether it did.
 */
export function takeEntries({ page, candidates }: Weighed, picked: Uint8Array): boolean {
  const own = candidates.map(({ words, beside }) => (beside ? 0 : words));
  const all = own.reduce((sum, words) => sum + words, 0);
  const taken = own.reduce((sum, words, i) => sum + (picked[i] === 1 ? words : 0), 0);
  if (taken >= leastTaken * all || expectedF1(candidates, picked) >= sureEnough) return false;
  const wordsOf = totals(own);
  const lists = new Map<Scope | null, { words: number; entries: Scope[] }>();
  for (const alike of groupsOf(page)) {
    const parent = alike[0]?.parent ?? null;
    const list = lists.get(parent) ?? { words: 0, entries: [] };
    lists.set(parent, list);
    for (const entry of alike) {
      list.words += wordsOf(entry);
      list.entries.push(entry);
    }
  }
  let best = { words: listShare * all, entries: [] as Scope[] };
  for (const list of lists.values()) if (list.words > best.words) best = list;
  const chosen = picked.slice();
  for (const { first, end } of best.entries) {
    for (let i = first; i < end; i++) if (own[i] !== 0) picked[i] = 1;
  }
  const labels = blocksOf(page.blocks, best.entries).filter(
    (one) => chosen[one.index] !== 1 && isControl(one),
  );
  leaveOut(labels, best.entries, picked);
  return best.entries.length > 0;
}

/**
 * Completes the entries of a list of which most are told: prices and other short lines belong to them. The buttons of
 * each do not.
 */
export function keepEntries({ page, candidates }: Weighed, picked: Uint8Array): void {
  const wordsOf = totals(candidates.map(({ words }) => words));
  for (const alike of groupsOf(page)) {
    const told = alike.filter(({ first, end }) => picked.subarray(first, end).includes(1));
    if (told.length * 2 < alike.length || told.length < fewestEntries) continue;
    if (told.some((entry) => wordsOf(entry) > mostEntryWords)) continue;
    for (const { first, end } of told) {
      for (let i = first; i < end; i++) {
        const { words, beside } = candidates[i] as Candidate;
        if (!beside && words > 0 && !isControl(page.blocks[i] as Block)) picked[i] = 1;
      }
    }
    // A link that says the same may be what a column tells, or a heading of each.
    leaveOut(blocksOf(page.blocks, told).filter(isButton), told, picked);
  }
}

function groupsOf({ scopes }: PageBlocks): Set<readonly Scope[]> {
  return new Set(scopes.map(({ alike }) => alike).filter(({ length }) => length >= fewestEntries));
}

/** Tells how many words stand in a scope. */
function totals(words: readonly number[]): (scope: Scope) => number {
  const before = new Float64Array(words.length + 1);
  for (const [i, count] of words.entries()) before[i + 1] = (before[i] as number) + count;
  return ({ first, end }) => (before[end] as number) - (before[first] as number);
}

const isControl = ({ text, linkChars, controls }: Block): boolean =>
  text !== '' && Math.max(linkChars, controls) >= mostlyControl * countInk(text);

const isButton = ({ text, controls }: Block): boolean =>
  text !== '' && controls >= mostlyControl * countInk(text);

/** Leaves out what says the same in most entries. */
function leaveOut(labels: readonly Block[], entries: readonly Scope[], picked: Uint8Array): void {
  for (const same of Map.groupBy(labels, ({ text }) => text).values()) {
    if (same.length < fewestEntries || same.length * 2 <= entries.length) continue;
    for (const { index } of same) picked[index] = 0;
  }
}

const blocksOf = (blocks: readonly Block[], entries: readonly Scope[]): Block[] =>
  entries.flatMap(({ first, end }) => blocks.slice(first, end));
