import { type Element, isTag, isText } from 'domhandler';
import type { List, ListItem, Nodes } from 'mdast';
import type { Holder, MdastWriter } from './mdast-writer.ts';

/** Items with paragraphs of their own are told apart by empty lines. */
const holdsParagraphs = ({ children }: Element): boolean =>
  children.some(
    (child) =>
      isTag(child) && child.name === 'li' && child.children.some((part) => isTag(part) && part.name === 'p'),
  );

const itemOf = (spread: boolean): Holder & ListItem => ({ type: 'listItem', spread, children: [] }) as never;

export function enterList(writer: MdastWriter, element: Element): void {
  const isOrdered = element.name === 'ol';
  writer.openFlow(element, {
    type: 'list',
    ordered: isOrdered,
    start: isOrdered ? firstNumber(element) : null,
    spread: holdsParagraphs(element),
    children: [],
  });
}

export function enterItem(writer: MdastWriter, element: Element): void {
  const holder = writer.flow;
  const spread = holder.type === 'list' ? Boolean(holder.spread) : false;
  const item = itemOf(spread);
  if (holder.type === 'list') {
    numbered(writer, element, holder).children.push(item);
    writer.enterFlow(element, item);
    return;
  }
  const before = holder.children.at(-1);
  // Items without a list of their own follow each other as one.
  if (before?.type === 'list' && !before.ordered) before.children.push(item);
  else if (writer.isTooDeep) return;
  else writer.append({ type: 'list', ordered: false, spread, children: [item] });
  writer.enterFlow(element, item);
}

/** What a term is, as an item below it. */
export function enterDefinition(writer: MdastWriter, element: Element): void {
  const before = (writer.flow as Holder).children.at(-1);
  if (before?.type !== 'list' || before.ordered || !isDefinitionBefore(element)) {
    enterItem(writer, element);
    return;
  }
  const item = itemOf(false);
  before.children.push(item);
  writer.enterFlow(element, item);
}

function isDefinitionBefore(element: Element): boolean {
  for (let before = element.prev; before !== null; before = before.prev) {
    if (isTag(before)) return before.name === 'dd';
    if (isText(before) && before.data.trim() !== '') return false;
  }
  return false;
}

/** The list that this item stands in: a new one where its number does not follow the one before. */
function numbered(writer: MdastWriter, item: Element, list: List): Holder {
  const next = (list.start ?? 1) + list.children.length;
  const first = list.children.length === 0;
  const { parent } = item;
  const step = parent !== null && isTag(parent) && Object.hasOwn(parent.attribs, 'reversed') ? -1 : 1;
  const number = readNumber(item.attribs['value']) ?? (first ? next : next - 1 + step);
  if (!list.ordered || number === next || number < 0) return list as Holder;
  if (first) {
    list.start = number;
    return list as Holder;
  }
  const spread = list.spread ?? false;
  const other = { type: 'list', ordered: true, start: number, spread, children: [] } satisfies Nodes;
  writer.restartFlow(other);
  return other;
}

const readNumber = (text: string | undefined): number | null =>
  /^\s*\d{1,9}\s*$/.test(text ?? '') ? Number(text) : null;

/** A list that counts down begins with the number of its items. */
function firstNumber({ attribs, children }: Element): number {
  const items = Object.hasOwn(attribs, 'reversed')
    ? children.filter((child) => isTag(child) && child.name === 'li').length
    : 1;
  return readNumber(attribs['start']) ?? items;
}
