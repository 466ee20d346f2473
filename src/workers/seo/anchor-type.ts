import { parse } from 'tldts';
import type { Backlinks } from './provider.ts';

export type AnchorType = Backlinks['anchors'][number]['type'];

/** What people write who name nothing. */
const generic = new Set(
  [
    'click here, here, click, more, read more, learn more, more info, more information, website, web site, site, link, this link, this site, visit, visit website, visit site, homepage, home page, home, page, source, details, continue reading, see more, view, download, go, this, official site, official website, url, www',
    'hier, hier klicken, klicken sie hier, mehr, mehr erfahren, weiterlesen, zur website, webseite, quelle, startseite',
    'ici, cliquez ici, en savoir plus, lire la suite, site web, voir',
    'aquí, haz clic aquí, leer más, más información, sitio web, ver más, fuente',
    'qui, clicca qui, leggi tutto, scopri di più, sito web, fonte',
    'aqui, clique aqui, leia mais, saiba mais, ver mais',
    'klik hier, lees meer, meer informatie',
  ].flatMap((line) => line.split(', ')),
);

const address = /^(?:https?:\/\/|www\.)\S+$|^[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?:\/\S*)?$/iu;

/** Letters and digits only, in one case: `Red-Shoes!` and `red shoes` are the same words. */
const plain = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

function wordsOfAddress(url: string): string {
  const path = URL.parse(url)?.pathname ?? '';
  const last = path.split('/').findLast((part) => part !== '') ?? '';
  try {
    return plain(decodeURIComponent(last).replace(/\.\w{2,5}$/, ''));
  } catch {
    return '';
  }
}

/** What an anchor is made of, seen from the domain that it leads to. */
export function anchorTypeOf(
  { anchor, image, to }: { anchor: string; image: boolean; to: string },
  domain: string,
): AnchorType {
  const text = anchor.trim();
  if (image) return 'image';
  if (text === '') return 'empty';
  if (address.test(text)) return 'url';
  const words = plain(text);
  if (generic.has(words)) return 'generic';
  const brand = plain(parse(domain, { allowPrivateDomains: true }).domainWithoutSuffix ?? '');
  // A brand of several words is written together in its domain.
  if (brand.length > 1 && ` ${words} `.includes(` ${brand} `)) return 'brand';
  if (brand.length > 3 && words.replaceAll(' ', '').includes(brand.replaceAll(' ', ''))) return 'brand';
  return words !== '' && words === wordsOfAddress(to) ? 'exact' : 'other';
}
