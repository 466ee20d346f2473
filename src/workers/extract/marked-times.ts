import { type AnyNode, type Element, isTag } from 'domhandler';
import type { Block } from './blocks.ts';
import {
  beginsWithChange,
  type ChangeWords,
  changeWords,
  changeWordsOf,
  dateNames,
  isChangeMark,
  isNoPublication,
  namesChange,
  namesPublication,
  tellsChange,
} from './change-marks.ts';
import { momentOf, textOf } from './page-facts.ts';
import { after, createEntryCheck, holdersOf, isSentence, type Shown } from './shown-dates.ts';
import { type DateWriting, readDate } from './written-date.ts';

const stated = (element: Element, writing: DateWriting): string | null =>
  readDate(momentOf(element.attribs) ?? element.attribs['content'] ?? element.attribs['title'], writing) ??
  readDate(textOf(element, 120), writing);

/** An element that a page marks as its day of publication, whatever stands around it. */
export function markedDate({ facts, writing, isAside }: Shown): string | null {
  for (const element of [...facts.times, ...facts.marked]) {
    if (!namesPublication(element) || namesChange(element) || isAside(element)) continue;
    const date = stated(element, writing);
    if (date !== null) return date;
  }
  return null;
}

/** The first element that is called a date by its class alone. */
export function calledDate({ facts, writing, isAside }: Shown): string | null {
  const element = facts.marked.find(
    (one) => /(?:^|\s)(?:\w+[-_])?date(?:\s|$)/.test(dateNames(one)) && !isAside(one),
  );
  const [text = ''] = element === undefined ? [] : textOf(element, 120).split(changeWords, 1);
  return readDate(text, writing);
}

/** The moment behind words such as "2 hours ago", which shows where the pointer rests on them. */
const momentInTitle = ({ name, attribs }: Element): string | undefined =>
  name === 'time' ? undefined : /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}\S{0,20}/.exec(attribs['title'] ?? '')?.[0];

/** A thread begins with its first post: the first time from its title on. Where it has any, titles tell of other things. */
export function firstPostDate({ facts, blocks, titleAt, writing, isOfOthers }: Shown): string | null {
  const { times, timesBeforeTitle } = facts;
  const known = new Set(times.filter((element) => !isOfOthers(element)));
  for (const block of titleAt < 0 ? [] : blocks.slice(titleAt, titleAt + after)) {
    for (const holder of holdersOf(block)) {
      const moment = known.has(holder)
        ? momentOf(holder.attribs)
        : times.length === 0
          ? momentInTitle(holder)
          : undefined;
      const date = readDate(moment, writing);
      if (date !== null) return date;
    }
  }
  const first = times.slice(timesBeforeTitle).find((element) => known.has(element));
  return first === undefined ? null : readDate(momentOf(first.attribs), writing);
}

/**
 * The day that an element marks, or the words before a `time` tell, as that of a change; null where several of a page
 * tell different ones, as those of a list do. Away from the title, what is changed may be another thing, unless the
 * words begin with the change.
 */
export function markedChange({ facts, writing, isThread, isAside, isWithTitle }: Shown): string | null {
  if (isThread) return null;
  const wordsOf = (element: Element): ChangeWords => changeWordsOf(element, writing);
  const isOwn = (element: Element): boolean => isWithTitle(element) || beginsWithChange(wordsOf(element));
  const times = facts.times.filter((one) => !isAside(one));
  const marked = facts.marked.filter((one) => !isAside(one));
  for (const elements of [
    [...times, ...marked].filter((one) => isChangeMark(one) && isOwn(one)),
    times.filter((one) => tellsChange(wordsOf(one)) && isOwn(one)),
  ]) {
    const dates = elements.flatMap((element) => stated(element, writing) ?? []);
    const [first] = dates;
    if (first !== undefined)
      return dates.every((date) => date.slice(0, 10) === first.slice(0, 10)) ? first : null;
  }
  return null;
}

/** Of those elements, the ones in running text, with the text. */
function inSentences(elements: ReadonlySet<Element>, blocks: readonly Block[]): Map<Element, string> {
  const found = new Map<Element, string>();
  for (const block of blocks) {
    for (const holder of holdersOf(block))
      if (elements.has(holder) && isSentence(block.text)) found.set(holder, block.text);
  }
  return found;
}

/** The times of the page that may be its day of publication. */
const timesOf = ({ facts, writing, isAside }: Shown): Set<Element> =>
  new Set(facts.times.filter((one) => !isAside(one) && !isNoPublication(changeWordsOf(one, writing))));

const eventNames = /(?:^|[\s_-])(?:events?|calendar|agenda)(?:[\s_-]|$)/i;

/** Whether it tells when something takes place, by the names of what it stands in. */
function isOfEvent(element: Element): boolean {
  let up: AnyNode | null = element;
  for (let n = 0; n < 4 && up !== null && isTag(up) && !/^(?:article|main|body)$/.test(up.name); n++) {
    if (eventNames.test(up.attribs['class']?.slice(0, 300) ?? '')) return true;
    up = up.parent;
  }
  return false;
}

/** The only `time` of the page, unless it is that of an event, or the first at the title. */
export function timeNearTitle(shown: Shown): string | null {
  const { facts, blocks, titleAt, writing } = shown;
  const times = timesOf(shown);
  const told = inSentences(times, blocks);
  const own = new Set([...times].filter((element) => !told.has(element)));
  const [only] = own;
  if (own.size === 1 && only !== undefined && !isOfEvent(only)) return stated(only, writing);
  if (titleAt < 0) return null;
  const isEntry = createEntryCheck(shown, facts.times);
  const end = Math.min(titleAt + after, blocks.length);
  for (let at = Math.max(0, titleAt - 6); at < end; at++) {
    for (const holder of holdersOf(blocks[at] as Block)) {
      if (!own.has(holder) || isEntry(holder, at)) continue;
      const date = stated(holder, writing);
      if (date !== null) return date;
    }
  }
  return null;
}

/** What a text says of itself, in a sentence. */
const ofItself =
  /\bthis (?:article|column|entry|essay|interview|piece|post|report|story)\b|\b(?:first|originally) (?:appeared|ran)\b/i;

/** The only `time` in a sentence that tells where the page itself has appeared, or in the foot of its article. */
export function timeInSentence(shown: Shown): string | null {
  const { blocks, writing, isWithTitle } = shown;
  const told = inSentences(timesOf(shown), blocks);
  const [[only, text] = []] = told;
  if (only === undefined || text === undefined || told.size > 1 || !isWithTitle(only)) return null;
  return isInFoot(only, shown) || ofItself.test(text) ? stated(only, writing) : null;
}

/** Whether it stands in a foot beside the title, as the foot of an article does; the site's stands further out. */
function isInFoot(element: Element, { blocks, titleAt }: Shown): boolean {
  let foot: AnyNode | null = element.parent;
  for (let n = 0; n < 4 && foot !== null && isTag(foot) && foot.name !== 'footer'; n++) foot = foot.parent;
  if (foot === null || !isTag(foot) || foot.name !== 'footer') return false;
  let up: AnyNode | null = blocks[titleAt]?.nodes[0]?.parent?.parent ?? null;
  for (; up !== null; up = up.parent) {
    if (up === foot.parent) return true;
    if (isTag(up) && /^(?:article|main|body)$/.test(up.name)) return false;
  }
  return false;
}
