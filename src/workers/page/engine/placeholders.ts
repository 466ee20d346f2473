/** Class names of what stands where content is still to come. */
const skeleton =
  /(^|[\s_-])(skeleton|shimmer|placeholder-(glow|wave)|is-loading|loading|spinner|loader|preloader|throbber|lds-\w+)([\s_-]|$)/i;
/** Names of places that are for content; empty, they wait for a script to fill them. */
const contentPlace =
  /(^|[\s_-])(prices?|amount|stock|availability|results?|listings?|products?|quotes?)([_-]{1,2}(value|amount|list|items|grid|container|wrapper|body|text))?(\s|$)/i;
/** The same of attributes. */
const contentData =
  /(^|\s)data-(price|amount|stock|availability|quote|result|product)s?(-for|-of|-id|-value)?(\s|$)/;
/** Of custom elements, whose names say what they are. */
const contentElement =
  /-(prices?|amount|stock|availability|rating|reviews?|results?|list|listings?|products?|feed|comments?|quotes?|content|article|page|view|app)$/;
/** As a name of its own only: parts of pages are called after these too. */
const wholePlace = /(^|\s)(content|page|list|items|grid|cards|posts|entries|article|table)(\s|$)/i;
/** What stands for a value that is not there yet. */
const stopgap = /^[\s\-–—.…·_?]*$/;
/** An amount of nothing. */
const nothing = /^\D{0,8}0+([.,]0+)?\D{0,8}$/;
const price = /(^|[\s_-])(price|prices|amount|cost|total|value|rate|quote)([\s_-]|$)/i;
/** What is around or in the content, not a part of it. */
const frames = /^(html|body|img|form|input|button|a|i|h[1-6])$/;
const waiting = /^\s*(loading|please wait|fetching|wird geladen|chargement|cargando)\b.{0,20}$/i;
const template = /\{\{[^{}]{1,80}\}\}/;
const names = ['class', 'id', 'itemprop', 'data-testid'];

/** Finds places in a page whose content a script is to bring, as its tags and texts come by. */
export class Placeholders {
  /** What the first one is. */
  found: string | null = null;
  /** What an element is that is empty so far, and is made for content. */
  #empty: string | null = null;
  #name = '';
  /** One that shows no text so far. */
  #skeleton: { name: string; depth: number } | null = null;
  #isPrice = false;
  #isAround = false;
  /** The beginning of the text since the last tag; it comes in pieces. */
  #line = '';

  /** @param isAround it stands around the page's content. */
  onStartTag(name: string, attributes: ReadonlyMap<string, string>, isAround: boolean): void {
    this.#endLine();
    this.#empty = null;
    if (this.#skeleton?.name === name) this.#skeleton.depth++;
    this.#isAround = isAround;
    if (isAround) return;
    const words = names.map((attribute) => attributes.get(attribute) ?? '').join(' ');
    if (isBusy(attributes)) this.found ??= 'a busy region';
    if (!frames.test(name) && skeleton.test(words)) this.#skeleton ??= { name, depth: 1 };
    if (isPlace(name, attributes, words)) this.#empty = 'an empty place for content';
    if (this.#empty !== null) this.#name = name;
    this.#isPrice = price.test(words);
  }

  /** Text that a reader sees. */
  onText(text: string): void {
    if (this.#line.length < 500) this.#line += text;
    if (!stopgap.test(text) && !waiting.test(text)) this.#skeleton = null;
    if (!stopgap.test(text) && !(this.#isPrice && nothing.test(text))) this.#empty = null;
  }

  onEndTag(name: string): void {
    this.#endLine();
    if (this.#empty !== null && this.#name === name) this.found ??= this.#empty;
    if (this.#skeleton?.name === name && --this.#skeleton.depth === 0) {
      this.found ??= 'a skeleton';
      this.#skeleton = null;
    }
    this.#empty = null;
  }

  #endLine(): void {
    if (this.#isAround) this.#line = '';
    if (waiting.test(this.#line)) this.found ??= 'a text that asks to wait';
    if (template.test(this.#line)) this.found ??= 'a template of the client';
    this.#line = '';
  }
}

function isPlace(name: string, attributes: ReadonlyMap<string, string>, words: string): boolean {
  const data = [...attributes.keys()].filter((attribute) => attribute.startsWith('data-')).join(' ');
  if (contentElement.test(name)) return true;
  const canHold = !/^(input|img|meta|link|svg|path|i|a|button|option|textarea|iframe|script)$/.test(name);
  return canHold && (contentPlace.test(words) || contentData.test(data) || wholePlace.test(words));
}

/** Says that it is being filled, or asks for what fills it. */
function isBusy(attributes: ReadonlyMap<string, string>): boolean {
  const isIndeterminate = attributes.get('role') === 'progressbar' && !attributes.has('aria-valuenow');
  const asks = /\b(load|revealed|intersect)\b/.test(
    attributes.get('hx-trigger') ?? attributes.get('data-hx-trigger') ?? '',
  );
  return attributes.get('aria-busy') === 'true' || isIndeterminate || asks;
}
