import { styleOf } from '../html/hidden-elements.ts';
import { isVoid } from '../html/void-elements.ts';

/** Where something stands: in the content of a page, beside it, or where a reader sees it only after acting, if ever. */
export type Side = 'content' | 'beside' | 'away';

const besideNames = /^(header|nav|footer|aside|form|menu)$/;
const neverBeside = /^(html|body|main|article)$/;
const awayNames = /^(dialog|button|select|noscript)$/;
const besideWords =
  /(^|[_-])(header|footer|nav(bar|igation)?|menu|mega-?menu|drop-?down|sidebar|aside|carousel|slider|swiper|slick|subscri\w+|newsletter|follow|social|share|sharing|banner|promo\w*|breadcrumbs?|toolbar|form|gallery|related|recommend\w*|recirc\w*|see-?also|similar|upsell|cross-?sell|alert|message|notifications?|notice|status)([_-]|$)/i;
const awayWords =
  /(^|[_-])((drop-?down|sub|mega|fly-?out)-?menu|fly-?out|popin|toc|table-?(of-?)?contents?\w*|modal|dialog|drawer|pop-?(up|over)|overlay|lightbox|toast|snackbar|tooltip|cart|basket|mini-?cart|bag|wish-?list|checkout|search|autocomplete|sign-?up|sign-?in|log-?in|account|cookies?|consent|ads?|advert\w*|publici(dade?|te)|pubblicita|werbung|anzeige|reklamy?|sponsor\w*|auth|shopping-?list|progress|captcha|recaptcha|player|video|pswp|disqus|likes|recently|feedback|chat|survey|error|validation|live-?region|announcer?)([_-]|$)/i;
/** Of what tells its reader something, or lies over the page. */
const notices =
  /(^|[_-])(alert|cookies?|consent|dialog|lightbox|modal|notifications?|notice|overlay|pop-?(up|over)|snackbar|toast|tooltip)([_-]|$)/i;
const incidentalWords =
  /(^|[_-])(logged-?in|(comments?|likes?|repl(y|ies)|shares?|views?)-?(counts?|cnt|num(ber)?)|toc|table-?(of-?)?contents?\w*|cart|basket|bag|wish-?list|captcha|recaptcha|cookies?|consent|ads?|adsbygoogle|dfp|gpt|taboola|outbrain|toast|tooltip|copyright|year|clock|datetime|sign-?in|log-?in|account|player|error|validation|drop-?downs?|auto-?complete|type-?ahead|suggestions|chat|newsletter|breadcrumbs?)([_-]|$)/i;
/** The same where the place is not plainly one of a list. */
const incidentalUnlisted =
  /(^|[_-])(social|marketing|sponsor\w*|promo(tion)?s?|banners?|user-?names?|share\w*)([_-]|$)/i;
const lists = /^(ul|ol|table|tbody)$/;
const listWord = /(list|table|grid|feed|wall|[^\W_]{3}s)$/i;
/** Ways to other places. */
const linksWord = /(links?|icons?|buttons?|btns?)$/i;
const hiddenWords =
  /^(hidden|hide|invisible|d-none|(\w+-)?display-none|is-hidden|(visually-?|u-)hidden|sr-?only|(\w+-)?screen-?reader\S*)$/i;
/** On a wide screen it is seen. */
const shownWide = /^((sm|md|lg|xl|2xl):|d-(sm|md|lg|xl)-)(block|flex|grid|inline\S*|table)$|^show-for-/;
/** Says how the element looks or behaves, or what it lacks, rather than what it is. */
const noWord =
  /:|^(no|not|has|with|without|lazy|overflow|break|js|status|format|tag|type)[_-]|lazy|overflow|^search[_-]?(results?|page|list)|main-?canvas/i;
/** What a page calls its content; it may stand in something that is named after what stands beside it. */
const contentWord =
  /^(content|main|main-?content|page-?content|site-?content|entry-?content|post-?content|article-?(body|content)|primary|(w-)?rich-?text)$/i;
/** What a reader opens has content of its own, not the page's. */
const openedWords = /(^|[_-])(drop-?down|modal|dialog|popin|drawer|fly-?out)$/i;
const switchWords = /(^|[_-])(lang(uage)?|locale|currency|edition)([_-]|$)/i;
/** Holds ways to other places. */
const menuNames = /^(nav|menu|footer)$/;
const menuRoles = /^(navigation|contentinfo|menu)$/;
const menuWord = /^((site|page|main)[_-]?)?(footer|nav(bar|igation)?)$/i;
/** By which a script finds it. */
const hook = /^js-/;
const mostWords = 30;
/** Elements that the parser ends by itself where another begins. */
const loose = /^(p|li|dd|dt|option|tr|td|th)$/;
const deepest = 200;

/** Where what comes by stands, as a page's tags come by. No tree is needed for that. */
export class PageRegion {
  readonly #open: { name: string; own: Side; side: Side; isNamed: boolean; isMenu: boolean }[] = [];
  #deeper = 0;

  /** Of the innermost open element. */
  get side(): Side {
    return this.#open.at(-1)?.side ?? 'content';
  }

  get isAround(): boolean {
    return this.side !== 'content';
  }

  /** In a menu or a footer, which is not around the content. */
  get isInMenu(): boolean {
    return this.#open.some(({ isMenu, own }) => isMenu && own !== 'content');
  }

  start(name: string, attributes: ReadonlyMap<string, string>): void {
    if (isVoid(name)) return;
    const last = this.#open.at(-1);
    if (last?.name === name && loose.test(name)) this.#open.pop();
    if (this.#open.length >= deepest) {
      this.#deeper++;
      return;
    }
    const words = wordsOf(name, attributes);
    const isContents = isContent(name, attributes, words);
    if (isContents) this.#forgetWords();
    const byElement = sideOf(name, attributes);
    const isNamed = byElement === 'content' && !neverBeside.test(name) && !isContents;
    const isOpened = byElement === 'beside' && isOpenedByName(words);
    const own = isNamed
      ? isCovered(attributes)
        ? 'away'
        : sideOfWords(words)
      : isOpened
        ? 'away'
        : byElement;
    const role = attributes.get('role') ?? '';
    const isMenu = menuNames.test(name) || menuRoles.test(role) || words.some((word) => menuWord.test(word));
    this.#open.push({ name, own, side: farther(this.side, own), isNamed, isMenu });
  }

  /** Content stands in what is open: its names have said something else. */
  #forgetWords(): void {
    let side: Side = 'content';
    for (const one of this.#open) {
      if (one.isNamed) one.own = 'content';
      one.side = side = farther(side, one.own);
    }
  }

  end(name: string): void {
    if (this.#deeper > 0) {
      this.#deeper--;
      return;
    }
    // A page's tags are closed soon or not at all: what nobody opened ends nothing.
    const at = this.#open.findLastIndex((one) => one.name === name);
    if (at !== -1) this.#open.length = at;
  }
}

export function isHidden(attributes: ReadonlyMap<string, string>): boolean {
  if (attributes.has('hidden') || attributes.get('aria-hidden') === 'true') return true;
  return /display:\s*none/i.test(styleOf(attributes)) || isCovered(attributes);
}

/** Takes its room, but is not seen: whole pages are, until their scripts have run. */
const isCovered = (attributes: ReadonlyMap<string, string>): boolean =>
  /visibility:\s*hidden/i.test(styleOf(attributes));

/** By its names, it shows no content even where it is full: the number of a cart, a list of the page's own headings. */
export function isIncidental(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const words = wordsOf('', attributes).filter((word) => hook.test(word) || !noWord.test(word));
  const isListed = (word: string) => (lists.test(name) || listWord.test(word)) && !linksWord.test(word);
  return words.some(
    (word) => incidentalWords.test(word) || (incidentalUnlisted.test(word) && !isListed(word)),
  );
}

/** By its names, what it shows is seen beside the content only, or after acting. */
export function isBesideByName(attributes: ReadonlyMap<string, string>, name = ''): boolean {
  return sideOfWords(wordsOf(name, attributes)) !== 'content';
}

/** By its names, it tells its reader something beside the content, or lies over the page. */
export function isNotice(attributes: ReadonlyMap<string, string>): boolean {
  return wordsOf('', attributes).some((word) => notices.test(word));
}

function farther(one: Side, other: Side): Side {
  if (one === 'away' || other === 'away') return 'away';
  return one === 'beside' || other === 'beside' ? 'beside' : 'content';
}

/** By the element itself, wherever it stands. */
function sideOf(name: string, attributes: ReadonlyMap<string, string>): Side {
  if (awayNames.test(name)) return 'away';
  if (neverBeside.test(name)) return 'content';
  if (isHidden(attributes) && !isCovered(attributes)) return 'away';
  const role = attributes.get('role') ?? '';
  if (/^(dialog|search|tooltip|alert)$/.test(role)) return 'away';
  const isBeside = besideNames.test(name) || /^(navigation|banner|contentinfo|menu)$/.test(role);
  return isBeside ? 'beside' : 'content';
}

function sideOfWords(words: readonly string[]): Side {
  const own = words.filter((word) => !noWord.test(word));
  if (own.some((word) => awayWords.test(word))) return 'away';
  const isHiddenWord =
    own.some((word) => hiddenWords.test(word)) && !words.some((word) => shownWide.test(word));
  if (isHiddenWord) return 'away';
  return own.some((word) => besideWords.test(word)) ? 'beside' : 'content';
}

/** By its names, it shows which of a few languages and the like is chosen. */
export function isSwitch(attributes: ReadonlyMap<string, string>): boolean {
  return wordsOf('', attributes).some((word) => switchWords.test(word));
}

/** Its classes and its id; a custom element's name too. `shareBox` is `share-Box`. */
function wordsOf(name: string, attributes: ReadonlyMap<string, string>): string[] {
  const classes = (attributes.get('class') ?? '').slice(0, 500).split(/\s+/, mostWords);
  const words = [...classes, attributes.get('id') ?? '', ...(name.includes('-') ? [name] : [])];
  return words.map((word) => word.replace(/([a-z\d])(?=[A-Z])/g, '$1-'));
}

function isContent(name: string, attributes: ReadonlyMap<string, string>, words: readonly string[]): boolean {
  if (name === 'h1' || name === 'main' || attributes.get('role') === 'main') return true;
  return words.some((word) => contentWord.test(word)) && !isOpenedByName(words);
}

/** A class that a script for pictures or hints goes by (`popup-gallery`, `tooltip`) says nothing of the whole. */
const isOpenedByName = (words: readonly string[]): boolean =>
  words.some((word) => !noWord.test(word) && openedWords.test(word));
