import { domainToUnicode } from 'node:url';
import { parse } from 'tldts';
import type { Backlinks } from './provider.ts';
import { hasPhrase, isSpaceless, plainOf } from './words.ts';

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
    'здесь, тут, нажмите здесь, подробнее, читать далее, узнать больше, сайт, ссылка, источник, официальный сайт, перейти',
    'tutaj, kliknij tutaj, więcej, czytaj więcej, dowiedz się więcej, strona, strona internetowa, źródło, zobacz',
    'buraya tıklayın, tıklayın, tıkla, daha fazla, devamını oku, devamı, web sitesi, kaynak',
    'اضغط هنا, انقر هنا, هنا, المزيد, اقرأ المزيد, معرفة المزيد, الموقع, الموقع الرسمي, المصدر, رابط',
    '点击这里, 点击此处, 這裡, 这里, 此处, 點擊這裡, 點此, 更多, 了解更多, 阅读更多, 閱讀更多, 查看更多, 查看详情, 详情, 网站, 網站, 官网, 官網, 链接, 連結, 来源, 來源',
    'こちら, ここ, ここをクリック, こちらをクリック, 詳細, 詳しくはこちら, もっと見る, 続きを読む, サイト, 公式サイト, ホームページ, リンク, 出典',
    '여기, 여기를 클릭, 여기를 클릭하세요, 클릭, 더 보기, 더보기, 자세히 보기, 자세히, 바로가기, 홈페이지, 웹사이트, 링크, 출처',
  ].flatMap((line) => line.split(', ').map(plainOf)),
);

const longestAddress = 2_048;

/** A full address, or a bare one with a path or of the domain itself: `Node.js` and `ASP.NET` are names. */
function isAddress(text: string, domain: string): boolean {
  if (/^(?:https?:\/\/|www\.)\S+$/i.test(text)) return true;
  if (text.length > longestAddress) return false;
  const url = /^[^\s/@:]+\.[^\s@]+$/.test(text) ? URL.parse(`http://${text}`) : null;
  if (url === null) return false;
  const named = parse(url.hostname, { allowPrivateDomains: true });
  return named.domain === domain || (named.domain !== null && named.isIcann === true && url.pathname !== '/');
}

function wordsOfAddress(url: string): string {
  const path = URL.parse(url)?.pathname ?? '';
  const last = path.split('/').findLast((part) => part !== '') ?? '';
  try {
    return plainOf(decodeURIComponent(last).replace(/\.\w{2,5}$/, ''));
  } catch {
    return '';
  }
}

/** A brand of several words is written together in its domain, or with hyphens. */
function namesBrand(text: string, domain: string): boolean {
  const name = parse(domainToUnicode(domain), { allowPrivateDomains: true }).domainWithoutSuffix ?? '';
  const brand = plainOf(name).replaceAll(' ', '');
  if (brand.length < 2) return false;
  if (isSpaceless(brand)) return hasPhrase(text, brand);
  const words = plainOf(text).replace(/[+#]/g, '').split(' ');
  return words.some((_, first) => {
    let run = '';
    for (let next = first; run.length < brand.length && next < words.length; next++) run += words[next] ?? '';
    return run === brand;
  });
}

/** What an anchor is made of, seen from the domain that it leads to. */
export function anchorTypeOf(
  { anchor, image, to }: { anchor: string; image: boolean; to: string },
  domain: string,
): AnchorType {
  const text = anchor.trim();
  if (image) return 'image';
  if (text === '') return 'empty';
  if (isAddress(text, domain)) return 'url';
  const words = plainOf(text);
  if (generic.has(words)) return 'generic';
  if (namesBrand(text, domain)) return 'brand';
  return words !== '' && words === wordsOfAddress(to) ? 'exact' : 'other';
}
