import { type AnyNode, type Document, type Element, isTag, isText, Text } from 'domhandler';
import { walk } from './walk.ts';

const isControl = ({ name, attribs }: Element): boolean =>
  name === 'button' || name === 'label' || (name === 'a' && attribs['href'] !== undefined);
const endsInWord = /[\p{L}\p{N}]$/u;
const beginsInWord = /^[\p{L}\p{N}]/u;
const beginsAnew = /^\p{Lu}/u;

/** The text that an element begins or ends with; empty where that is none. */
function edgeOf(element: Element, side: 'firstChild' | 'lastChild'): string {
  let node: AnyNode | null = element;
  while (node !== null && isTag(node)) node = node[side];
  return node !== null && isText(node) ? node.data : '';
}

/** Whether words would be read as one with those of the link, button or label right before it; a link may go on in another. */
function isGlued(element: Element): boolean {
  const { prev, attribs } = element;
  if (prev === null || !isTag(prev) || !isControl(element) || !isControl(prev)) return false;
  if (attribs['href'] !== undefined && attribs['href'] === prev.attribs['href']) return false;
  return endsInWord.test(edgeOf(prev, 'lastChild')) && beginsInWord.test(edgeOf(element, 'firstChild'));
}

/** Sets a button apart from a text beside it where a new word begins: what is a button may be a part of a word. */
function partFromTexts(button: Element): void {
  const { prev, next } = button;
  if (
    prev !== null &&
    isText(prev) &&
    endsInWord.test(prev.data) &&
    beginsAnew.test(edgeOf(button, 'firstChild'))
  )
    prev.data += ' ';
  if (
    next !== null &&
    isText(next) &&
    beginsAnew.test(next.data) &&
    endsInWord.test(edgeOf(button, 'lastChild'))
  )
    next.data = ` ${next.data}`;
}

/** Puts a space between links, buttons and labels side by side, whose words would be read as one. */
export function partControls(tree: Document): void {
  const found: Element[] = [];
  walk(
    tree,
    (element) => {
      if (isGlued(element)) found.push(element);
      if (element.name === 'button') partFromTexts(element);
      return element.name !== 'pre';
    },
    () => undefined,
    () => undefined,
  );
  for (const element of found) {
    const space = new Text(' ');
    space.parent = element.parent;
    space.prev = element.prev;
    space.next = element;
    if (element.prev !== null) element.prev.next = space;
    element.prev = space;
  }
  for (const parent of new Set(found.map((element) => element.parent))) {
    if (parent === null) continue;
    const [first] = parent.children;
    parent.children = [];
    for (let child = first ?? null; child !== null; child = child.next) parent.children.push(child);
  }
}
