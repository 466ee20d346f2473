import { type AnyNode, type Element, isTag, isText } from 'domhandler';
import { walk } from './walk.ts';

const isHeading = (node: AnyNode | null): boolean =>
  node !== null && isTag(node) && /^h[1-6]$/.test(node.name);

/** The sign of a permalink, or nothing that is seen. */
const sign = /^(?=.*[#¶§🔗\p{Cf}])[\s\p{Cf}]*[#¶§🔗]?[\s\p{Cf}]*$/u;

/** The sign beside a heading that links to the heading. */
export function isPermalink({ name, children }: Element): boolean {
  const [only, ...others] = children;
  return (
    name === 'a' &&
    others.length === 0 &&
    only !== undefined &&
    isText(only) &&
    sign.test(only.data.slice(0, 20))
  );
}

/** Whether it links from a heading to a place of the page. */
export function isHeadingLink(element: Element): boolean {
  const { parent, attribs } = element;
  const holder = parent !== null && isTag(parent) && parent.name === 'span' ? parent.parent : parent;
  return isHeading(holder) && attribs['href']?.includes('#') === true && isPermalink(element);
}

const editing = /[?&](?:ve)?action=edit(?:&|$)/;
/** A link to write a page that is not there yet. */
const isRed = /[?&]redlink=/;
const ofSection = /[?&]section=/;
const sectionClass = /editsection/i;
const markTags = new Set(['a', 'small', 'span', 'sup']);
const mostInside = 20;

const isBlank = (node: AnyNode | null): boolean => node === null || (isText(node) && node.data.trim() === '');

function isBesideHeading({ parent, prev, next }: Element): boolean {
  const before = prev !== null && isBlank(prev) ? prev.prev : prev;
  if (!isHeading(parent)) return isHeading(before);
  // The only words of a heading are no mark of it.
  return !isBlank(before) || !isBlank(next !== null && isBlank(next) ? next.next : next);
}

/** Whether it stands in or right behind a heading, and all that it says are links to edit the section, as in a wiki. */
export function isEditMark(element: Element): boolean {
  if (!markTags.has(element.name) || !isBesideHeading(element)) return false;
  const isNamed = sectionClass.test(element.attribs['class']?.slice(0, 300) ?? '');
  const isEditing = (href: string): boolean =>
    editing.test(href) && !isRed.test(href) && (isNamed || ofSection.test(href));
  let [seen, links, others] = [0, 0, 0];
  walk(
    element,
    ({ name, attribs }) => {
      if (++seen > mostInside || others > 0) return false;
      if (name !== 'a') return true;
      if (isEditing(attribs['href']?.slice(0, 1_000) ?? '')) links++;
      else others++;
      return false;
    },
    () => undefined,
    ({ data }) => {
      if (/[\p{L}\p{N}]/u.test(data.slice(0, 200))) others++;
    },
  );
  return links > 0 && others === 0 && seen <= mostInside;
}
