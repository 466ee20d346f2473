import { tagsOf } from './word-numbers.ts';

interface Style {
  id: string;
  name: string;
  base: string | undefined;
  /** From 0; 9 is running text. */
  outline: string | undefined;
}

const mostLinks = 20;
const deepest = 6;
const headingName = /^heading ([1-9])$/i;
/** Of styles that the reader of Word documents knows by their names. */
const known = /^(?:heading [1-9]|title|subtitle)$/i;

/**
 * The styles of a Word document that are of headings by their outline level, their own or that of what they are based
 * on (ECMA-376 part 1, section 17.3.1.20), as lines of mammoth's style map.
 * @param xml the part with the styles.
 */
export function headingStyles(xml: string): string[] {
  const styles = readStyles(xml);
  const lines: string[] = [];
  for (const style of styles.values()) {
    const level = known.test(style.name) || style.name === '' ? null : levelOf(style, styles);
    if (level === null) continue;
    const name = style.name.replace(/[\\']/g, '\\$&');
    lines.push(`p[style-name='${name}'] => h${level}:fresh`);
  }
  return lines;
}

function readStyles(xml: string): Map<string, Style> {
  const styles = new Map<string, Style>();
  let style: Style | null = null;
  for (const { isEnd, name, read } of tagsOf(xml)) {
    if (name === 'style') {
      const isOpen = !isEnd && read('type') === 'paragraph';
      style = isOpen ? { id: read('styleId') ?? '', name: '', base: undefined, outline: undefined } : null;
      if (style !== null) styles.set(style.id, style);
    } else if (style === null || isEnd) continue;
    else if (name === 'name') style.name = read('val') ?? '';
    else if (name === 'basedOn') style.base = read('val');
    else if (name === 'outlineLvl') style.outline = read('val');
  }
  return styles;
}

/** From 1; null of running text. */
function levelOf(style: Style, styles: ReadonlyMap<string, Style>): number | null {
  let one: Style | undefined = style;
  for (let n = 0; n < mostLinks && one !== undefined; n++) {
    const level =
      one.outline === undefined ? Number(headingName.exec(one.name)?.[1]) : Number(one.outline) + 1;
    if (!Number.isNaN(level)) return level >= 1 && level <= 9 ? Math.min(level, deepest) : null;
    one = styles.get(one.base ?? '');
  }
  return null;
}

const outlined = /<w:pPr>((?:(?!<\/?w:pPr\b)[^])*?)<w:outlineLvl\s[^<>]*w:val="([0-8])"[^<>]*\/>/g;
/** What a paragraph was before a tracked change. */
const former = /<w:pPrChange\s[^<>]*>\s*$/;

/** A part of a Word document whose paragraphs with an outline level of their own are headings by their style. */
export function styleOutline(xml: string): string {
  if (!xml.includes('<w:outlineLvl')) return xml;
  return xml.replace(outlined, (whole, before: string, level: string, at: number) => {
    if (former.test(xml.slice(Math.max(0, at - 300), at))) return whole;
    const style = `<w:pStyle w:val="Heading${Math.min(Number(level) + 1, deepest)}"/>`;
    return `<w:pPr>${style}${before.replace(/<w:pStyle\s[^<>]*\/>/, '')}`;
  });
}
