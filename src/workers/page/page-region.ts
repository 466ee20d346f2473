/** What stands around a page's content, or comes up over it later. */
const aroundNames = /^(header|nav|footer|aside|dialog|form|button|select|noscript|menu)$/;
const aroundWords =
  /(^|[\s_-])(header|footer|nav(bar|igation)?|menu|mega-?menu|sidebar|aside|modal|dialog|drawer|pop-?(up|over)|overlay|lightbox|carousel|slider|swiper|slick|toast|snackbar|tooltip|drop-?down|cart|basket|mini-?cart|bag|wish-?list|checkout|search|autocomplete|newsletter|subscri\w+|sign-?up|sign-?in|log-?in|account|cookies?|consent|share|sharing|social|follow|ads?|advert\w*|banner|promo\w*|sponsor\w*|breadcrumbs?|toolbar|progress|captcha|recaptcha|form|field|player|video|gallery|pswp|hidden|hide|invisible|visually-?hidden|sr-?only|screen-?reader\S*|d-none|is-hidden|toc|disqus|related|recommend\w*|recently|similar|upsell|cross-?sell|feedback|chat|survey|alert|error|message|validation|status|live-?region|announcer?)([\s_-]|$)/i;
const empty = /^(area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)$/;
/** Elements that the parser ends by itself where another begins. */
const loose = /^(p|li|dd|dt|option|tr|td|th)$/;
const deepest = 200;

/** Whether what comes by is the content of a page or stands around it, as its tags come by. No tree is needed for that. */
export class PageRegion {
  readonly #open: { name: string; isAround: boolean }[] = [];
  #deeper = 0;

  /** Of the innermost open element. */
  get isAround(): boolean {
    return this.#open.at(-1)?.isAround ?? false;
  }

  start(name: string, attributes: ReadonlyMap<string, string>): void {
    if (empty.test(name)) return;
    const last = this.#open.at(-1);
    if (last?.name === name && loose.test(name)) this.#open.pop();
    if (this.#open.length >= deepest) {
      this.#deeper++;
      return;
    }
    this.#open.push({ name, isAround: this.isAround || isAround(name, attributes) });
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
  return /display:\s*none|visibility:\s*hidden/i.test(attributes.get('style') ?? '');
}

function isAround(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (aroundNames.test(name)) return true;
  if (name === 'html' || name === 'body' || name === 'main' || name === 'article') return false;
  if (isHidden(attributes)) return true;
  if (
    /^(dialog|navigation|banner|contentinfo|search|alert|status|tooltip|menu)$/.test(
      attributes.get('role') ?? '',
    )
  )
    return attributes.get('role') !== 'status' || attributes.get('class') === undefined;
  const words = `${attributes.get('class') ?? ''} ${attributes.get('id') ?? ''}`.slice(0, 300);
  return aroundWords.test(words);
}
