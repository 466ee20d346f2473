import { isHidden } from './page-region.ts';

const htmlType = /^\s*(text\/html|application\/xhtml\+xml)\b/i;
/** A name without an extension is that of a page as a rule. */
const pageName = /^[^.]*$|\.(x?html?|php|aspx?|jsp)$/i;
const nothing = /^\s*($|about:|javascript:|#)/i;
/** CSS pixels; what is smaller shows nothing to a reader. */
const leastSize = 20;
const styledSize = /(?:^|[;\s])(?:width|height)\s*:\s*(\d+)px/gi;

/** Whether an element shows another page within its own. */
export function showsPage(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const source = attributes.get(name === 'object' ? 'data' : 'src') ?? '';
  const isEmpty = nothing.test(source) && !(name === 'iframe' && attributes.has('srcdoc'));
  if (isEmpty || isHidden(attributes) || isSmall(attributes)) return false;
  if (name !== 'object') return name === 'frame' || name === 'iframe';
  const type = attributes.get('type') ?? '';
  if (type !== '') return htmlType.test(type);
  const [path = ''] = source.split(/[?#]/, 1);
  return !attributes.has('classid') && pageName.test(path.slice(path.lastIndexOf('/') + 1));
}

function isSmall(attributes: ReadonlyMap<string, string>): boolean {
  const styled = [...(attributes.get('style') ?? '').matchAll(styledSize)].map(([, size]) => size);
  return [attributes.get('width'), attributes.get('height'), ...styled].some(
    (size) => /^\s*\d+(px)?\s*$/.test(size ?? '') && Number.parseInt(size ?? '', 10) < leastSize,
  );
}
