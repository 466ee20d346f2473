import { type AnyNode, type Element, isTag } from 'domhandler';
import { blockTags } from '../extract/element-kinds.ts';
import { escapeValue } from '../extract/content-html.ts';

/** Elements of a line that HTML knows, and whose text says all without them. */
const plainTags = new Set(
  'a abbr acronym b basefont bdi bdo bgsound big blink body button cite code col colgroup command content data del dfn em font frame frameset geolocation head html i img image ins kbd keygen label listing mark marquee math multicol nextid nobr noscript output picture plaintext portal q rb rp rt rtc ruby s samp selectedcontent shadow slot small spacer span strike strong time tt u var wbr xmp'.split(
    ' ',
  ),
);
/** Those that change what stands in them. */
const scripts = new Set(['sub', 'sup']);
/** As CommonMark knows them; names with a colon are left over from office programs. */
const tagName = /^[a-z][a-z\d-]*$/;
const attributeName = /^(?!on)[a-z_][\w.:-]*$/;
/** Comments have no place between these and what they are made of. */
const strictTags = new Set('ul ol menu dir dl table thead tbody tfoot tr colgroup'.split(' '));

/** Whether its tags are kept, since markdown has none for it: of an unknown element, its name may be all it says. */
export const isRaw = ({ name }: Element): boolean =>
  scripts.has(name) || (!plainTags.has(name) && !blockTags.has(name) && tagName.test(name));

/** Its start tag on one line, without what runs scripts. */
export function startTagOf({ name, attribs }: Element): string {
  if (scripts.has(name)) return `<${name}>`;
  const attributes = Object.entries(attribs).filter(([key]) => attributeName.test(key));
  const told = attributes.map(([key, value]) => {
    // A bar would end a cell.
    return ` ${key}="${escapeValue(value).replace(/\s+/g, ' ').replaceAll('|', '&#124;')}"`;
  });
  return `<${name}${told.join('')}>`;
}

/** A comment as markdown has it; null where it has none, as between two items. */
export function commentOf({ data, parent }: AnyNode & { data: string }, isInLine: boolean): string | null {
  if (parent !== null && isTag(parent) && strictTags.has(parent.name)) return null;
  return `<!--${isInLine ? data.replace(/\s+/g, ' ') : data}-->`;
}
