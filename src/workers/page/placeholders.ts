/** Class names of what stands where content is still to come. */
const skeleton = /(^|[\s_-])(skeleton|shimmer|placeholder-(glow|wave)|is-loading|spinner|loader)([\s_-]|$)/i;
/** Names of places that are for content; empty, they wait for a script to fill them. */
const contentPlace =
  /(^|[\s_-])(price|prices|amount|stock|availability|rating|reviews?|results?|listings?|products?|feed|comments?|quotes?)([\s_-]|$)/i;
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
    this.found ||= attributes.get('aria-busy') === 'true' || skeleton.test(words);
    const isCustom = name.includes('-') && contentPlace.test(name);
    const canHold = !/^(input|img|meta|link|svg|path|i|button|option|textarea|iframe|script)$/.test(name);
    if (isCustom || (canHold && contentPlace.test(words))) this.#empty = name;
  }

  /** Text that a reader sees. */
  onText(text: string): void {
    if (this.#line.length < 500) this.#line += text;
    if (text.trim() !== '') this.#empty = null;
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
