import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import type { Block } from './blocks.ts';
import type { Places } from './aside.ts';
import { classKind } from './class-kind.ts';
import { momentOf, type PageFacts, textOf } from './page-facts.ts';
import { type DateWriting, readDate, readWrittenDate } from './written-date.ts';

/** Where a page shows its dates to readers. */
export interface Shown extends Places {
  facts: PageFacts;
  blocks: readonly Block[];
  /** The block of the title; dates beside it are the page's. -1 where there is none. */
  titleAt: number;
  writing: DateWriting;
  isThread: boolean;
}

const before = 8;
const after = 25;
const published = /publish|pubdate|posted|entry-date|datecreated/;
const changed =
  /\b(?:updated|modified|revised|last (?:changed|edited|reviewed)|(?:zuletzt )?(?:aktualisiert|geändert)|stand:|mis à jour|modifié|actualizado|aggiornato|atualizado|bijgewerkt|gewijzigd|uppdaterad|opdateret|oppdatert|päivitetty|aktualizacja|aktualizováno|güncelle\w*)|обновлен[оа]|изменено|оновлено|更新|最終変更|수정/i;
/** Behind these words stands no day of publication. */
const notPublished = new RegExp(`${changed.source}|\\blast active\\b`, 'i');
const changedNames = /updat|modif|revision|(?:^|[\s_-])changed(?:\s|$)/;
/** A part of a name that says so by itself; `updates` are news. */
const changedName =
  /(?:^|[\s:_-])(?:updated|modified|revision[_-]date|(?:last|date)[_-]?(?:updated?|mod(?:ified)?))(?:[\s_-]|$)/;

const names = ({ attribs }: Element): string =>
  `${attribs['class'] ?? ''} ${attribs['itemprop'] ?? ''} ${attribs['property'] ?? ''} ${attribs['id'] ?? ''}`.toLowerCase();
const isPublished = (element: Element): boolean =>
  published.test(names(element)) || element.attribs['pubdate'] !== undefined;
const namesChange = (element: Element): boolean =>
  /datemodified/i.test(`${element.attribs['itemprop'] ?? ''} ${element.attribs['property'] ?? ''}`) ||
  (changedNames.test(names(element)) && !(element.name === 'time' && isPublished(element)));

const stated = (element: Element, writing: DateWriting): string | null =>
  readDate(momentOf(element.attribs) ?? element.attribs['content'] ?? element.attribs['title'], writing) ??
  readDate(textOf(element, 120), writing);

/** An element that a page marks as its day of publication, whatever stands around it. */
export function markedDate({ facts, writing, isAside }: Shown): string | null {
  for (const element of [...facts.times, ...facts.marked]) {
    if (!isPublished(element) || namesChange(element) || isAside(element)) continue;
    const date = stated(element, writing);
    if (date !== null) return date;
  }
  return null;
}

/** The first element that is called a date by its class alone. */
export function calledDate({ facts, writing, isAside }: Shown): string | null {
  const element = facts.marked.find(
    (one) => /(?:^|\s)(?:\w+[-_])?date(?:\s|$)/.test(names(one)) && !isAside(one),
  );
  const [text = ''] = element === undefined ? [] : textOf(element, 120).split(changed, 1);
  return readDate(text, writing);
}

/** What stands around the text of a block, from the inside out. */
function* holdersOf({ nodes }: Block): Generator<Element> {
  for (const node of nodes) {
    for (let up = node.parent, n = 0; up !== null && n < 3; up = up.parent, n++) if (isTag(up)) yield up;
  }
}

/** A thread begins with its first post: the first time from its title on. */
export function firstPostDate({ facts, blocks, titleAt, writing }: Shown): string | null {
  const { times, timesBeforeTitle } = facts;
  const known = new Set(times);
  for (const block of titleAt < 0 ? [] : blocks.slice(titleAt, titleAt + after)) {
    for (const holder of holdersOf(block)) {
      const date = known.has(holder) ? readDate(momentOf(holder.attribs), writing) : null;
      if (date !== null) return date;
    }
  }
  return readDate(momentOf(times[timesBeforeTitle]?.attribs ?? {}), writing);
}

/** How an element looks: its tag and kind, and those of what it stands in. */
function shapeOf(node: AnyNode | null): string {
  const parts: string[] = [];
  for (let up = node, n = 0; up !== null && isTag(up) && n < 4; up = up.parent, n++) {
    parts.push(`${up.name}.${classKind(up.attribs['class'])}`);
  }
  return parts.join('<');
}

/** Dates away from the title that look alike three times or more are those of a list's entries. */
function createEntryCheck({ titleAt, isThread }: Shown, all: readonly (AnyNode | null)[]) {
  const counts = new Map<string, number>();
  for (const one of isThread ? [] : all) {
    const shape = shapeOf(one);
    counts.set(shape, (counts.get(shape) ?? 0) + 1);
  }
  return (one: AnyNode | null, at: number): boolean =>
    Math.abs(at - titleAt) > 3 && (counts.get(shapeOf(one)) ?? 0) >= 3;
}

/** Whether it, or the words before it, say that it is the day of a change or, by other words, none of publication. */
function isChange(element: Element, writing: DateWriting, words = notPublished): boolean {
  if (namesChange(element) || words.test(textOf(element, 40))) return true;
  let holder: AnyNode | null = element;
  for (let level = 0; level < 3 && holder !== null && isTag(holder); level++, holder = holder.parent) {
    if (level > 0 && namesChange(holder)) return true;
    for (let beside = holder.prev, n = 0; beside !== null && n < 3; beside = beside.prev, n++) {
      const text = isTag(beside) ? textOf(beside, 200) : isText(beside) ? beside.data.trim().slice(-200) : '';
      if (text !== '') return words.test(text) && readWrittenDate(text, writing) === null;
    }
  }
  return false;
}

/**
 * The day that an element marks, or the words before a `time` tell, as that of a change; null where several of a page
 * tell different ones, as those of a list do.
 */
export function markedChange({ facts, writing, isThread, isAside, isWithTitle }: Shown): string | null {
  if (isThread) return null;
  const { times, marked } = facts;
  const isMark = (element: Element): boolean =>
    changedName.test(names(element)) && namesChange(element) && textOf(element, 80).length < 60;
  const own = (elements: readonly Element[]): Element[] =>
    elements.filter((element) => !isAside(element) && isWithTitle(element));
  for (const elements of [
    own([...times, ...marked]).filter(isMark),
    own(times).filter((element) => isChange(element, writing, changed)),
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

/** The only `time` of the page, or the first at the title. */
export function timeNearTitle(shown: Shown): string | null {
  const { facts, blocks, titleAt, writing, isAside } = shown;
  const times = new Set(facts.times.filter((element) => !isAside(element) && !isChange(element, writing)));
  const told = inSentences(times, blocks);
  const own = new Set([...times].filter((element) => !told.has(element)));
  const [only] = own;
  if (own.size === 1 && only !== undefined) return stated(only, writing);
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
export function timeInSentence({ facts, blocks, writing, isAside, isWithTitle }: Shown): string | null {
  const times = new Set(facts.times.filter((element) => !isAside(element) && !isChange(element, writing)));
  const told = inSentences(times, blocks);
  const [[only, text] = []] = told;
  if (only === undefined || text === undefined || told.size > 1 || !isWithTitle(only)) return null;
  let up: AnyNode | null = only.parent;
  for (let n = 0; n < 4 && up !== null && isTag(up) && up.name !== 'footer'; n++) up = up.parent;
  const isInFoot = up !== null && isTag(up) && up.name === 'footer';
  return isInFoot || ofItself.test(text) ? stated(only, writing) : null;
}

const weekday = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day,? /i;
const publication =
  /publish|posted|veröffentlicht|publié|publicad|pubblicat|gepubliceerd|publicerad|publiceret|publisert|julkaistu|opublikowan|publikován|yayın|опубликован|опубліковано|公開|公开|发布|發布|掲載|投稿|입력|등록/i;
const announced = new RegExp(`date|${publication.source}`, 'i');

/** Running text tells of some day, a line with few words of its own. */
const isSentence = (text: string): boolean =>
  /[.!?…]["”’)\]]*$/.test(text) && !announced.test(text) && text.split(/\s+/).length > 8;

/** Whether a label that stands above or before it says that it is the day of a change. */
const isLabeledChange = (label: Block | undefined): boolean =>
  label !== undefined &&
  label.text.length <= 30 &&
  notPublished.test(label.text) &&
  !/\d{4}/.test(label.text);

/** A line without the day of a change: what stands before the words that tell it, or behind those that tell the publication. */
function withoutChange(text: string): string {
  const [first = '', ...behind] = text.split(notPublished);
  if (first.trim() !== '' || behind.length === 0) return first;
  const rest = behind.join(' ');
  const at = rest.search(publication);
  return at < 0 ? '' : rest.slice(at);
}

/** A line beside the title that is hardly more than a date. */
export function dateLine(shown: Shown): string | null {
  const { blocks, titleAt, writing } = shown;
  if (titleAt < 0) return null;
  const end = Math.min(titleAt + after, blocks.length);
  const holder = (block: Block): AnyNode | null => block.nodes[0]?.parent ?? null;
  let isEntry: ReturnType<typeof createEntryCheck> | undefined;
  for (const wanted of [announced, /./]) {
    for (let at = Math.max(0, titleAt - before); at < end; at++) {
      const block = blocks[at] as Block;
      if (block.nodes[0] !== undefined && shown.isAside(block.nodes[0])) continue;
      // Behind these words stands the day of a change.
      const text = block.text.length > 120 ? '' : withoutChange(block.text);
      if (!wanted.test(text) || /^©|copyright/i.test(text) || isSentence(text)) continue;
      // The head of a newspaper shows the day on which it is read.
      if (at < titleAt && weekday.test(text)) continue;
      if (isLabeledChange(blocks[at - 1]) || [...holdersOf(block)].some(namesChange)) continue;
      const date = readWrittenDate(text, writing);
      if (date === null) continue;
      isEntry ??= createEntryCheck(
        shown,
        blocks.filter((one) => one.text.length <= 120 && /(?:19|20)\d\d/.test(one.text)).map(holder),
      );
      if (!isEntry(holder(block), at)) return date;
    }
  }
  return null;
}

/** The day behind "updated" and the like near the title. */
export function changeLine({ blocks, titleAt, writing }: Shown): string | null {
  const end = Math.min(Math.max(0, titleAt) + after, blocks.length);
  for (let at = Math.max(0, titleAt - before); at < end; at++) {
    const { text } = blocks[at] as Block;
    const from = text.length > 200 ? -1 : text.search(changed);
    if (from < 0) continue;
    const date = readWrittenDate(text.slice(from, from + 80), writing);
    if (date !== null) return date;
    const next = blocks[at + 1]?.text ?? '';
    if (!isLabeledChange(blocks[at]) || next.length > 40) continue;
    const below = readWrittenDate(next, writing);
    if (below !== null) return below;
  }
  return null;
}
