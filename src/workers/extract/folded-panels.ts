import { type Element, isTag } from 'domhandler';

const panelName =
  /(?:^|[\s_-])(?:tab-?(?:panel|pane|content)|accordion|collaps(?:e|ed|ible)|panel|faq|answer)(?:$|[\s_-])/i;
const elsewhere = new Set(['nav', 'header', 'footer', 'aside', 'form']);
const openers = new Set(['button', 'summary', 'dt', 'h2', 'h3', 'h4', 'h5', 'h6']);
/** So many of its siblings are asked whether they are its like. */
const mostSiblings = 50;

/**
 * Whether an element that is not shown now is folded in, or behind another tab: a click shows it, so that it is as much
 * the page's text as what is open.
 */
export function isFolded(
  { name, attribs, parent, prev }: Element,
  isHidden: (element: Element) => boolean,
): boolean {
  if (elsewhere.has(name)) return false;
  if (attribs['role'] === 'tabpanel') return true;
  const names = (attribs['class'] ?? '').slice(0, 300);
  if (!panelName.test(names)) return false;
  let before = prev;
  while (before !== null && !isTag(before)) before = before.prev;
  if (before !== null && !isHidden(before) && isOpener(before)) return true;
  const [first] = names.trim().split(/\s+/, 1);
  return (parent?.children ?? [])
    .slice(0, mostSiblings)
    .some(
      (one) =>
        isTag(one) &&
        one.name === name &&
        one.attribs['class']?.trim().split(/\s+/, 1)[0] === first &&
        !isHidden(one),
    );
}

/** What a click on opens the panel after it: a button or heading, or an element that begins with one. */
function isOpener(element: Element): boolean {
  let one: Element | undefined = element;
  for (let down = 0; down < 3 && one !== undefined; down++) {
    const { name, attribs } = one;
    if (openers.has(name) || attribs['aria-expanded'] !== undefined || attribs['aria-controls'] !== undefined)
      return true;
    one = one.children.find((child) => isTag(child));
  }
  return false;
}
