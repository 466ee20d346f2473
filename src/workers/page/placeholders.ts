/** Class names of what stands where content is still to come. */
const skeleton =
  /(^|[\s_-])(skeleton|shimmer|placeholder-(glow|wave)|is-loading|loading|spinner|loader|preloader|throbber|lds-\w+)([\s_-]|$)/i;
/** Names of places that are for content; empty, they wait for a script to fill them. */
const contentPlace =
  /(^|[\s_-])(price|prices|amount|stock|availability|rating|reviews?|results?|listings?|products?|feed|comments?|quotes?)([\s_-]|$)/i;
/** As a name of its own only: parts of pages are called after these too. */
const wholePlace = /(^|\s)(content|page|list|items|grid|cards|posts|entries|article|table)(\s|$)/i;
/** What stands for a value that is not there yet. */
const stopgap = /^[\s\-–—.…·_?]*$/;
const waiting = /^\s*(loading|please wait|fetching|wird geladen|chargement|cargando)\b.{0,20}$/i;
const template = /\{\{[^{}]{1,80}\}\}/;
const names = ['class', 'id', 'itemprop', 'data-testid'];

/** Finds places in a page whose content a script is to bring, as its tags and texts come by. */
export class Placeholders {
  /** One was found. */
  found = false;
  /** An element that is empty so far, and is made for content. */
  #empty: string | null = null;
  /** The beginning of the text since the last tag; it comes in pieces. */
  #line = '';

  onStartTag(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#endLine();
    this.#empty = null;
    if (attributes.has('hidden') || /display:\s*none/i.test(attributes.get('style') ?? '')) return;
    const words = names.map((attribute) => attributes.get(attribute) ?? '').join(' ');
    this.found ||= isBusy(attributes) || skeleton.test(words);
    const data = [...attributes.keys()].filter((attribute) => attribute.startsWith('data-')).join(' ');
    const isCustom = name.includes('-') && contentPlace.test(name);
    const canHold = !/^(input|img|meta|link|svg|path|i|button|option|textarea|iframe|script)$/.test(name);
    const isPlace = contentPlace.test(`${words} ${data}`) || wholePlace.test(words);
    if (isCustom || (canHold && isPlace)) this.#empty = name;
  }

  /** Text that a reader sees. */
  onText(text: string): void {
    if (this.#line.length < 500) this.#line += text;
    if (!stopgap.test(text)) this.#empty = null;
  }

  onEndTag(name: string): void {
    this.#endLine();
    this.found ||= this.#empty === name;
    this.#empty = null;
  }

  #endLine(): void {
    this.found ||= waiting.test(this.#line) || template.test(this.#line);
    this.#line = '';
  }
}

/** Says that it is being filled, or asks for what fills it. */
function isBusy(attributes: ReadonlyMap<string, string>): boolean {
  const isIndeterminate = attributes.get('role') === 'progressbar' && !attributes.has('aria-valuenow');
  const asks = /\b(load|revealed|intersect)\b/.test(attributes.get('hx-trigger') ?? '');
  return attributes.get('aria-busy') === 'true' || isIndeterminate || asks;
}
