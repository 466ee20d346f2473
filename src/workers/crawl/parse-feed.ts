import { decodeXML } from 'entities';
import { localName, prefixOf, readAttributes, readTags } from './xml-tags.ts';

/** Parts of an entry of Atom in which markup may stand, links and entries among it (RFC 4287, 3.1 and 4.1.3). */
const textConstructs = new Set(['content', 'summary', 'title', 'rights']);
/** RFC 4287, 4.2.7.2: by its name, by none, or as an address. */
const ownRelation = /^(https?:\/\/www\.iana\.org\/assignments\/relation\/)?(alternate)?$/i;
/** RSS 2.0: else it is the address of the page. */
const isNoAddress = (attributes: string): boolean =>
  readAttributes(attributes).get('ispermalink')?.trim().toLowerCase().startsWith('false') === true;

/** The pages that a feed names: of each entry its own. */
function feedLink(attributes: ReadonlyMap<string, string>, text: () => string): string {
  const href = attributes.get('href') ?? '';
  if (href === '') return text();
  return ownRelation.test(attributes.get('rel')?.trim() ?? '') ? decodeXML(href) : '';
}

/** What relative addresses in an element are resolved against (XML Base); what can be no base changes nothing. */
function baseOf(attributes: string, around: string): string {
  const told = readAttributes(attributes).get('xml:base') ?? '';
  const { href, protocol = '' } = (told === '' ? null : URL.parse(decodeXML(told), around)) ?? {};
  return href !== undefined && /^https?:$/.test(protocol) ? href : around;
}

/**
 * Of each entry its link; of one without, the identifier where that is its address.
 * @param isStrict whether only elements with the prefix of the feed's own count.
 */
export function readFeed(
  xml: string,
  root: string,
  url: string,
  isStrict: boolean,
  read: (start: number) => string,
  keep: (location: string, base: string) => void,
): void {
  let inEntry = false;
  let isNamed = false;
  let guid = '';
  /** The part of an entry in which nothing is the feed's: its name, and the entries that it quotes. */
  let inText: { name: string; entries: number } | null = null;
  /** In what an entry tells of the feed that it was taken from. */
  let inSource = false;
  let [base, entryBase] = [url, url];
  /** RSS knows neither: its generators write internal addresses there, and pages quote `source` of HTML in it. */
  const isAtom = localName(root) === 'feed';
  const isRdf = localName(root) === 'rdf';
  /** Of the feed's own elements; RSS 1.0 has others than RDF. */
  let prefix = isRdf ? null : prefixOf(root);
  const ownBase = (attributes: string, around: string): string =>
    isAtom ? baseOf(attributes, around) : around;
  const endEntry = (): void => {
    if (inEntry && !isNamed && /^https?:/i.test(guid)) keep(guid, entryBase);
    isNamed = false;
    guid = '';
    inSource = false;
  };
  for (const { name, isEnd, isEmpty, attributes, textStart } of readTags(xml)) {
    const local = localName(name);
    if (inText !== null) {
      const isEntry = name === `${prefix}entry`;
      // Where the end of the part is missing, that of its entry ends it.
      const isOver = isEnd && (name === inText.name || (isEntry && inText.entries === 0));
      if (isEntry && !isEmpty) inText.entries += isEnd ? -1 : 1;
      if (isOver) inText = null;
      if (!isOver || !isEntry) continue;
    }
    if (isRdf && /^(?:channel|item)$/.test(local)) prefix ??= prefixOf(name);
    if (name === root && !isEnd) base = ownBase(attributes, base);
    if (isStrict && name !== `${prefix}${local}`) continue;
    const isWhole = isEnd || isEmpty;
    if (local === 'item' || local === 'entry') {
      endEntry();
      inEntry = !isEnd;
      entryBase = ownBase(attributes, base);
    } else if (!inEntry) continue;
    else if (isAtom && local === 'source') inSource = !isWhole;
    else if (isAtom && textConstructs.has(local)) inText = isWhole ? null : { name, entries: 0 };
    else if (isEnd || inSource) continue;
    else if (local === 'link') {
      const link = feedLink(readAttributes(attributes), () => read(textStart));
      isNamed ||= link !== '';
      keep(link, ownBase(attributes, entryBase));
    } else if (local === 'guid' && !isNoAddress(attributes)) guid = read(textStart);
  }
  endEntry();
}
