import { decodeXML } from 'entities';
import { markSecret } from './mark-secret.ts';

interface Level {
  start: number;
  format: string;
  /** The level, from 1, at which it begins anew; 0 never. Where nothing is said, at any above it. */
  restart: number | undefined;
}

interface Instance {
  abstractId: string;
  starts: Map<number, number>;
  levels: Map<number, Level>;
}

interface Abstract {
  levels: Map<number, Level>;
  /** Of the style that has the levels in its place. */
  styleId: string | null;
  levelOfStyle: Map<string, number>;
}

interface ListPlace {
  numId: string | undefined;
  level: number | undefined;
}

interface Tag {
  isEnd: boolean;
  name: string;
  /** Behind it. */
  end: number;
  read: (attribute: string) => string | undefined;
}

const deepest = 9;
const mostLinks = 20;
const [open, close] = [`\ufdd0${markSecret}-`, '\ufdd1'];
/** Of `<ol type>`; `u` where no number is shown. */
const types: Readonly<Record<string, string>> = {
  bullet: 'u',
  none: 'u',
  lowerLetter: 'a',
  upperLetter: 'A',
  lowerRoman: 'i',
  upperRoman: 'I',
};

/** The tags of WordprocessingML under the prefix that every program gives it. */
export function* tagsOf(xml: string): Generator<Tag> {
  for (const match of xml.matchAll(/<(\/?)w:(\w+)((?:[\s/][^<>]*)?)>/g)) {
    const [whole, slash, name = '', attributes = ''] = match;
    const tag = { name, end: match.index + whole.length };
    const read = (attribute: string): string | undefined => {
      const value = new RegExp(`\\sw:${attribute}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes);
      return value === null ? undefined : decodeXML(value[1] ?? value[2] ?? '');
    };
    yield { ...tag, isEnd: slash !== '', read };
    if (slash === '' && attributes.endsWith('/')) yield { ...tag, isEnd: true, read };
  }
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

function levelOf(text: string | undefined): number {
  return Math.min(numberOf(text) ?? 0, deepest - 1);
}

/** Of each style, the list that its paragraphs are of, and the style that it is based on. */
function readStyles(xml: string): Map<string, ListPlace & { base: string | undefined }> {
  const styles = new Map<string, ListPlace & { base: string | undefined }>();
  let style: (ListPlace & { base: string | undefined }) | null = null;
  for (const { isEnd, name, read } of tagsOf(xml)) {
    if (name === 'style') {
      style = isEnd ? null : { numId: undefined, level: undefined, base: undefined };
      if (style !== null) styles.set(read('styleId') ?? '', style);
    } else if (style === null || isEnd) continue;
    else if (name === 'basedOn') style.base = read('val');
    else if (name === 'numId') style.numId = read('val');
    else if (name === 'ilvl') style.level = levelOf(read('val'));
  }
  return styles;
}

function readNumbering(xml: string): { instances: Map<string, Instance>; abstracts: Map<string, Abstract> } {
  const instances = new Map<string, Instance>();
  const abstracts = new Map<string, Abstract>();
  let abstract: Abstract | null = null;
  let instance: Instance | null = null;
  let override = 0;
  let at = 0;
  let level: Level | null = null;
  for (const { isEnd, name, read } of tagsOf(xml)) {
    if (isEnd) {
      if (name === 'abstractNum') abstract = null;
      else if (name === 'num') instance = null;
      else if (name === 'lvl') level = null;
      continue;
    }
    switch (name) {
      case 'abstractNum':
        abstract = { levels: new Map(), styleId: null, levelOfStyle: new Map() };
        abstracts.set(read('abstractNumId') ?? '', abstract);
        break;
      case 'num':
        instance = { abstractId: '', starts: new Map(), levels: new Map() };
        instances.set(read('numId') ?? '', instance);
        break;
      case 'abstractNumId':
        if (instance !== null) instance.abstractId = read('val') ?? '';
        break;
      case 'numStyleLink':
        if (abstract !== null) abstract.styleId = read('val') ?? null;
        break;
      case 'lvlOverride':
        override = levelOf(read('ilvl'));
        break;
      case 'startOverride':
        instance?.starts.set(override, numberOf(read('val')) ?? 1);
        break;
      case 'lvl':
        level = { start: 1, format: 'decimal', restart: undefined };
        at = levelOf(read('ilvl'));
        (abstract ?? instance)?.levels.set(at, level);
        break;
      case 'pStyle':
        if (level !== null) abstract?.levelOfStyle.set(read('val') ?? '', at);
        break;
      case 'start':
        if (level !== null) level.start = numberOf(read('val')) ?? 1;
        break;
      case 'numFmt':
        if (level !== null) level.format = read('val') ?? 'decimal';
        break;
      case 'lvlRestart':
        if (level !== null) level.restart = numberOf(read('val'));
        break;
      default:
    }
  }
  return { instances, abstracts };
}

/** Counts the paragraphs of all lists as Word does: instances of one definition count on, unless they begin anew. */
function createCounter(numbering: string, stylesXml: string) {
  const { instances, abstracts } = readNumbering(numbering);
  const styles = readStyles(stylesXml);
  const counts = new Map<Abstract, (number | undefined)[]>();
  const begun = new Set<string>();

  function resolve(numId: string): { instance: Instance; abstract: Abstract } | null {
    let next = numId;
    for (let n = 0; n < mostLinks; n++) {
      const instance = instances.get(next);
      const abstract = abstracts.get(instance?.abstractId ?? '');
      if (instance === undefined || abstract === undefined) return null;
      if (abstract.styleId === null) return { instance, abstract };
      next = styles.get(abstract.styleId)?.numId ?? '';
    }
    return null;
  }

  function placeOf(own: ListPlace, styleId: string | undefined): { numId: string; level: number } | null {
    let { numId, level } = own;
    let from = styleId;
    for (let n = 0; n < mostLinks && numId === undefined && from !== undefined; n++) {
      const style = styles.get(from);
      numId = style?.numId;
      if (numId === undefined) from = style?.base;
      else level ??= style?.level ?? resolve(numId)?.abstract.levelOfStyle.get(from);
    }
    return numId === undefined || numId === '0' ? null : { numId, level: level ?? 0 };
  }

  return (own: ListPlace, styleId: string | undefined): { number: number; format: string } | null => {
    const place = placeOf(own, styleId);
    const list = place === null ? null : resolve(place.numId);
    if (place === null || list === null) return null;
    const { numId, level } = place;
    const { instance, abstract } = list;
    const rule = (at: number): Level | undefined => instance.levels.get(at) ?? abstract.levels.get(at);
    let reached = counts.get(abstract);
    if (reached === undefined) counts.set(abstract, (reached = []));
    const start = instance.starts.get(level);
    const key = `${level} ${numId}`;
    const last = start !== undefined && !begun.has(key) ? start - 1 : reached[level];
    begun.add(key);
    const number = (last ?? (rule(level)?.start ?? 1) - 1) + 1;
    reached[level] = number;
    for (let at = level + 1; at < deepest; at++) {
      const restart = rule(at)?.restart;
      if (restart === undefined || level < restart) reached[at] = undefined;
    }
    return { number, format: rule(level)?.format ?? 'decimal' };
  };
}

/**
 * Marks each numbered paragraph of a Word document's text with its number, which the converter does not read.
 * @param document the main part; the others are its parts of numbering and of styles.
 */
export function markNumbers(document: string, numbering: string, styles: string): string {
  const count = createCounter(numbering, styles);
  const out: string[] = [];
  let from = 0;
  let depth = 0;
  let place: ListPlace = { numId: undefined, level: undefined };
  let styleId: string | undefined;
  let isDeleted = false;
  for (const { isEnd, name, end, read } of tagsOf(document)) {
    if (name === 'pPr') {
      depth += isEnd ? -1 : 1;
      if (!isEnd && depth === 1) {
        [place, styleId, isDeleted] = [{ numId: undefined, level: undefined }, undefined, false];
      }
      if (!isEnd || depth !== 0 || isDeleted) continue;
      const item = count(place, styleId);
      if (item === null) continue;
      const mark = `${open}${item.number}${types[item.format] ?? ''}${close}`;
      out.push(document.slice(from, end), `<w:r><w:t>${mark}</w:t></w:r>`);
      from = end;
    } else if (depth === 1 && !isEnd) {
      if (name === 'pStyle') styleId = read('val');
      else if (name === 'numId') place.numId = read('val');
      else if (name === 'ilvl') place.level = levelOf(read('val'));
      else if (name === 'del') isDeleted = true;
    }
  }
  return out.join('') + document.slice(from);
}

const numberMark = `${open}(\\d+)([aAiIu]?)${close}`;
const marked = new RegExp(numberMark, 'g');
const emptyMarked = new RegExp(`<(p|h[1-6]|li|pre)>${numberMark}</\\1>`, 'g');
const listTags = new RegExp(`<(/?)(ol|ul|li)>(?:${numberMark})?`, 'g');

interface OpenList {
  /** As it is written now: an instance may number what its definition has with bullets, and the other way round. */
  tag: string;
  /** Where its tag, its first item's and its last item's end stand in what is written. */
  at: number;
  itemAt: number;
  itemEnd: number;
  next: number;
  items: number;
  /** Its first item begins with another list. */
  isHollow: boolean;
}

/** Makes the marks of list items the numbers of their lists, and takes out all others. */
export function readMarks(html: string): string {
  const text = html.replace(emptyMarked, '');
  // By turns what stands between tags and a tag.
  const out: string[] = [];
  const lists: OpenList[] = [];
  let from = 0;
  for (const match of text.matchAll(listTags)) {
    const [whole, slash = '', tag = '', number, type = ''] = match;
    out.push(text.slice(from, match.index), `<${slash}${tag}>`);
    from = match.index + whole.length;
    const at = out.length - 1;
    const list = lists.at(-1);
    if (tag !== 'li' && slash === '') {
      if (list !== undefined && list.items === 1 && list.itemAt === at - 2 && out[at - 1] === '')
        list.isHollow = true;
      lists.push({ tag, at, itemAt: -1, itemEnd: -1, next: 1, items: 0, isHollow: false });
    } else if (list === undefined) continue;
    else if (tag !== 'li') {
      lists.pop();
      out[at] = `</${list.tag}>`;
      // What the converter puts around a list that goes on below no item.
      const isWrapper = list.isHollow && list.items === 1 && out[list.itemEnd - 1] === '';
      if (isWrapper) for (const one of [list.at, list.itemAt, list.itemEnd, at]) out[one] = '';
    } else if (slash !== '') list.itemEnd = at;
    else {
      const kind = number === undefined ? list.tag : type === 'u' ? 'ul' : 'ol';
      const value = number === undefined || kind === 'ul' ? list.next : Number(number);
      const start = value === 1 ? '' : ` start="${value}"`;
      const opening = kind === 'ul' ? '<ul>' : `<ol${start}${type === '' ? '' : ` type="${type}"`}>`;
      if (list.items === 0 && number !== undefined) out[list.at] = opening;
      else if (kind !== list.tag) out[at] = `</${list.tag}>${opening}<li>`;
      else if (value !== list.next) out[at] = `<li value="${value}">`;
      list.tag = kind;
      if (list.items === 0) list.itemAt = at;
      [list.items, list.next] = [list.items + 1, value + 1];
    }
  }
  return (out.join('') + text.slice(from)).replace(marked, '');
}
