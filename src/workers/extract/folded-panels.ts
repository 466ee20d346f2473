import { type Element, isTag, isText } from 'domhandler';
import { elsewhere, panelName, windowName, windowRole } from '../page/html/panel-names.ts';
import { classKind } from './class-kind.ts';

/** What opens one of these says so. */
const opensWindow = new Set(['true', 'menu', 'listbox', 'tree', 'grid', 'dialog']);
const openers = new Set(['button', 'summary', 'dt', 'h2', 'h3', 'h4', 'h5', 'h6']);
const fields = new Set(['input', 'select', 'textarea']);
const noEntries = /^(?:hidden|checkbox|button|submit|reset|image)$/;
/** Characters beside each field, with which it is one of a text: what is there to be filled in says less. */
const textOfField = 150;
/** So many of its siblings are asked whether they are its like, so much above and in it what it is. */
const mostSiblings = 50;
const mostAbove = 12;
const mostInside = 200;

/**
 * Whether an element that is not shown now is folded in, or behind another tab: a click shows it, so that it is as much
 * the page's text as what is open. Menus and windows that open so are not, nor what is there to be filled in.
 */
export function isFolded(element: Element, isHidden: (element: Element) => boolean): boolean {
  const { name, attribs, parent, prev } = element;
  const isTabPanel = attribs['role'] === 'tabpanel';
  const names = namesOf(element);
  if (!isTabPanel && !panelName.test(names)) return false;
  if (isInWindow(element) || isToFillIn(element)) return false;
  if (isTabPanel) return true;
  let before = prev;
  while (before !== null && !isTag(before)) before = before.prev;
  if (before !== null && !isHidden(before) && isOpener(before)) return true;
  const kind = classKind(names);
  return (parent?.children ?? [])
    .slice(0, mostSiblings)
    .some((one) => isTag(one) && one.name === name && classKind(namesOf(one)) === kind && !isHidden(one));
}

const namesOf = ({ attribs }: Element): string => (attribs['class'] ?? '').slice(0, 300);

/** Whether it is, or stands in, a menu or a window that opens over the page. */
function isInWindow(element: Element): boolean {
  let one: Element['parent'] = element;
  for (let up = 0; up < mostAbove && one !== null && isTag(one); up++, one = one.parent) {
    // Some sites are one form, each page whole.
    const isElsewhere = elsewhere.has(one.name) && (up === 0 || one.name !== 'form');
    if (isElsewhere || windowRole.test(one.attribs['role'] ?? '')) return true;
    // Further up such a name may be of all the page: `has-menu`.
    if (up < 3 && one.name !== 'body' && windowName.test(namesOf(one))) return true;
  }
  return false;
}

function isToFillIn(element: Element): boolean {
  const inside = [element];
  let [entries, characters] = [0, 0];
  for (let at = 0; at < inside.length && inside.length < mostInside; at++) {
    for (const child of inside[at]?.children ?? []) {
      if (isText(child)) characters += child.data.trim().length;
      if (!isTag(child) || child.name === 'script' || child.name === 'style') continue;
      const type = (child.attribs['type'] ?? '').toLowerCase();
      if (!fields.has(child.name)) inside.push(child);
      else if (type === 'password') return true;
      else if (!noEntries.test(type)) entries++;
    }
  }
  return characters < entries * textOfField;
}

/** What a click on opens the panel after it: a button or heading, or an element that begins with one. */
function isOpener(element: Element): boolean {
  let one: Element | undefined = element;
  for (let down = 0; down < 3 && one !== undefined; down++) {
    const { name, attribs } = one;
    if (opensWindow.has(attribs['aria-haspopup'] ?? '')) return false;
    if (openers.has(name) || attribs['aria-expanded'] !== undefined || attribs['aria-controls'] !== undefined)
      return true;
    one = one.children.find((child) => isTag(child));
  }
  return false;
}
