import { type AnyNode, isTag } from 'domhandler';
import type { Block } from './blocks.ts';
import { changeWords, namesChange, notPublished, withoutChange } from './change-marks.ts';
import {
  after,
  announced,
  before,
  createEntryCheck,
  holdersOf,
  isSentence,
  type Shown,
} from './shown-dates.ts';
import { readWrittenDate } from './written-date.ts';

const weekday = /^(?:mon|tues|wednes|thurs|fri|satur|sun)day,? /i;
/** A line that says that its day is that of something else: `Release date`, `Start date`. */
const ofAnother = /^\W*(?!(?:publi|post|creat|articl|entry))\p{L}[\p{L} ]{1,30} date\b/iu;
/** What begins so tells when the page itself was changed, wherever it stands. */
const ofPage =
  /^\W*(?:this|the) (?:page|article|document) (?:was|has been) (?:last |most recently )?(?:updated|modified|edited|changed|revised|reviewed)\b|^(?:diese seite wurde zuletzt|la dernière modification de cette page|esta página se editó por última vez)\b/i;
/** What begins so may tell it of another thing. */
const ofAny =
  /^\W*(?:last|most recently|zuletzt) (?:updated|modified|edited|changed|revised|reviewed|aktualisiert|geändert|bearbeitet)\b/i;
const footNames =
  /(?:^|\s)(?:(?:site|page|article|doc)[_-]?)?footer(?:\s|$)|(?:^|[\s_-])last[_-]?(?:updated?|mod(?:ified)?)(?:[\s_-]|$)/i;
const notOfPage = /^(?:aside|dialog)$/;
const mostLevels = 8;
const mostBehindHeading = 6;

/** Whether a label that stands above or before it says that it is the day of a change. */
const isLabeledChange = (label: Block | undefined): boolean =>
  label !== undefined &&
  label.text.length <= 30 &&
  notPublished.test(label.text) &&
  !/\d{4}/.test(label.text);

/** The earlier, the likelier it is that the day of a line is the page's. */
const rankOf = (text: string): number => (announced.test(text) ? 0 : ofAnother.test(text) ? 2 : 1);

/** A line beside the title that is hardly more than a date. */
export function dateLine(shown: Shown): string | null {
  const { blocks, titleAt, writing } = shown;
  if (titleAt < 0) return null;
  const holder = (block: Block): AnyNode | null => block.nodes[0]?.parent ?? null;
  let isEntry: ReturnType<typeof createEntryCheck> | undefined;
  for (const { block, text } of linesOf(shown).toSorted((a, b) => rankOf(a.text) - rankOf(b.text))) {
    const date = readWrittenDate(text, writing);
    if (date === null) continue;
    isEntry ??= createEntryCheck(
      shown,
      blocks.filter((one) => one.text.length <= 120 && /(?:19|20)\d\d/.test(one.text)).map(holder),
    );
    if (!isEntry(holder(block), block.index)) return date;
  }
  return null;
}

function isInArticle(node: AnyNode): boolean {
  let up: AnyNode | null = node;
  while (up !== null && !(isTag(up) && up.name === 'article')) up = up.parent;
  return up !== null;
}

const calledDate = /^\W*(?:date|datum|fecha|data)\s*(?::|$)/i;
const ofEvent =
  /^\W*(?:time|venue|location|place|where|doors|price|cost|admission|tickets?|uhrzeit|ort|veranstaltungsort|eintritt|heure|lieu|tarif|hora|lugar|precio|orario|luogo|prezzo|tijd|locatie)\s*(?::|$)/i;
const besideDate = 6;

/** Whether it is the day on which something takes place: "Date", and beside it at what time, where or for how much. */
function isDayOfEvent({ index, text }: Block, blocks: readonly Block[]): boolean {
  if (!calledDate.test(text) && !calledDate.test(blocks[index - 1]?.text ?? '')) return false;
  const around = blocks.slice(Math.max(0, index - besideDate), index + besideDate + 1);
  return around.filter((one) => ofEvent.test(one.text.slice(0, 120))).length >= 2;
}

/** Lines beside the title that may tell its day, each without that of a change. */
function linesOf({ blocks, titleAt, isAside, isWithTitle }: Shown): { block: Block; text: string }[] {
  const first = Math.max(0, titleAt - before);
  return blocks.slice(first, titleAt + after).flatMap((block) => {
    const [node] = block.nodes;
    if (block.text.length > 120 || !/\p{Nd}/u.test(block.text) || (node !== undefined && isAside(node)))
      return [];
    const text = withoutChange(block.text);
    if (text === '' || /^©|copyright/i.test(text) || isSentence(text)) return [];
    if (isDayOfEvent(block, blocks)) return [];
    // The head of a newspaper shows the day on which it is read.
    const isAbove = block.index < titleAt && !(node !== undefined && isWithTitle(node) && isInArticle(node));
    if (isAbove && weekday.test(text)) return [];
    const isOfChange = isLabeledChange(blocks[block.index - 1]) || [...holdersOf(block)].some(namesChange);
    return isOfChange ? [] : [{ block, text }];
  });
}

/** The day behind "updated" and the like near the title. */
export function changeLine({ blocks, titleAt, writing, isOfOthers }: Shown): string | null {
  const end = Math.min(Math.max(0, titleAt) + after, blocks.length);
  for (let at = Math.max(0, titleAt - before); at < end; at++) {
    const { text, nodes } = blocks[at] as Block;
    if (nodes[0] !== undefined && isOfOthers(nodes[0])) continue;
    const from = text.length > 200 ? -1 : text.search(changeWords);
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

/** Whether it stands in the foot of the page, or in what is there for the day of a change. */
function isInFoot(block: Block): boolean {
  let up: AnyNode | null = block.nodes[0]?.parent ?? null;
  let isFound = false;
  for (let n = 0; n < mostLevels && up !== null && isTag(up); n++, up = up.parent) {
    const { class: names = '', id = '', role } = up.attribs;
    if (notOfPage.test(up.name) || role === 'dialog') return false;
    isFound ||=
      up.name === 'footer' || role === 'contentinfo' || footNames.test(`${names.slice(0, 300)} ${id}`);
  }
  return isFound;
}

/** Whether another heading than the title stands in the same element, at most so many blocks before it. */
function isUnderHeading({ index, scope }: Block, { blocks, titleAt }: Shown, most: number): boolean {
  const holder = scope.end - scope.first > 1 ? scope : scope.parent;
  const isAroundTitle = holder !== null && holder.first <= titleAt && titleAt < holder.end;
  return blocks
    .slice(Math.max(0, index - (isAroundTitle ? 1 : most)), index)
    .some((one) => one.index !== titleAt && /^h[1-6]$/.test(one.scope.tag) && one.scope.parent === holder);
}

/** The day of a line that says when the page was changed, wherever it stands; null where several tell different ones. */
export function pageChangeLine(shown: Shown): string | null {
  const { blocks, writing, isAside, isWithTitle } = shown;
  const told = blocks.filter((block) => {
    const [node] = block.nodes;
    if (block.text.length > 200 || node === undefined || isAside(node)) return false;
    if (ofPage.test(block.text)) return true;
    if (!ofAny.test(block.text)) return false;
    if (isInFoot(block)) return !isUnderHeading(block, shown, 1);
    return isWithTitle(node) && !isUnderHeading(block, shown, mostBehindHeading);
  });
  const days = new Set(told.flatMap(({ text }) => readWrittenDate(text, writing) ?? []));
  return days.size === 1 ? ([...days][0] ?? null) : null;
}
