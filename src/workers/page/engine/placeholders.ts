import type { Side } from './page-region.ts';
import { isVoid } from '../html/void-elements.ts';

/** Class names of what stands where content is still to come. */
const skeleton =
  /(^|[\s_-]|\bMui)(skeleton|shimmer|placeholder-(glow|wave)|is-loading|loading|spinner|loader|throbber|lds-\w+)([\s_-]|$)/i;
/** Of these, what is put in the very place of the content; others turn over it, or beside it, too. */
const inPlace = /(^|[\s_-]|\bMui)(skeleton|shimmer|placeholder-(glow|wave)|is-loading)([\s_-]|$)/i;
/** Lies over a page that is there already, or tells how far it is read. */
const cover =
  /(^|[\s_-])(pre-?load(er|ing)?|(page|site|screen|img|image|photo|ajax)_{0,2}-?load(er|ing)|load(er|ing)[_-]{1,2}(bar|overlay|screen))/i;
/** Of other pages, or of who reads this one. */
const others =
  /(^|[\s_-])(related|recommend\w*|recirc\w*|similar|trending|auth(status)?|account|bookmarks?|favou?rites?|wish-?list|cart|share|ratings?)([\s_-]|$)/i;
/** Names of places that are for content; empty, they wait for a script to fill them. */
const contentPlace =
  /(^|[\s_-])(prices?|amount|stock|availability|results?|listings?|products?(?!_{1,2}text)|quotes?)([_-]{1,2}(value|amount|list|items|grid|container|wrapper|body|text))?(\s|$)/i;
/** The same of attributes. */
const contentData =
  /^data-((price|amount|stock|availability|quote|result)s?(-for|-of|-id|-value)?|products?(-for|-of|-value)?)$/;
/** What a script is told, rather than asked for. */
const amount = /^\D{0,3}\d(\d*[.,])?\d+$/;
/** Marks a place, or stands before a text. */
const noPlace = /anchor|(^|[\s_-])icon(\s|$)/i;
const canHold = /^(?!(input|img|meta|link|svg|path|i|a|button|option|textarea|iframe|script)$)/;
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
/** Where a list of contents comes, by its names. */
const listPlace =
  /(^|[\s_-])(content|list|items|grid|cards|posts|entries|articles?|table|feed|stream|timeline|news|rows|results?|listings?|products?|reviews?|events?|jobs?|catalog\w{0,10})([_-]{1,2}(area|body|container|inner|section|wrapper))?(\s|$)/i;
const lists = /^(ul|ol|dl|table|tbody)$/;
const waiting = /^\s*(loading|please wait|fetching|wird geladen|chargement|cargando)\b.{0,20}$/i;
const template = /\{\{[^{}=]{1,80}\}\}/;
/** What is called so is no text that asks to wait. */
const called = /^(a|h[1-6]|code|option|label|button)$/;
const heading = /^h[1-6]$/;
/** Of a part of the content, not of the whole. */
const partHeading = /^h[2-6]$/;
/** Shown by themselves, whatever their place is called until then. */
const pictures = /^(img|picture|video|iframe)$/;
const mostFilled = 1_000;
const mostBare = 1_000;
const names = ['class', 'id', 'itemprop', 'data-testid'];

/** Finds places in a page whose content a script is to bring, as its tags and texts come by. */
export class Placeholders {
  /** What the first one is. */
  found: string | null = null;
  /** The same of what may stand beside the content, too. */
  guessed: string | null = null;
  /** An element that is made for content, and shows none so far. */
  #place: Place | null = null;
  /** Names of places that are filled: another of these is left empty on purpose. */
  readonly #filled = new Set<string>();
  /** One that shows no text so far. */
  #skeleton: { name: string; depth: number; kind: Waiting; isAlone: boolean; isListed: boolean } | null =
    null;
  /** Elements that are open and show nothing so far but headings, the innermost last; and whether they are places of a list. */
  readonly #bare: { name: string; isListed: boolean }[] = [];
  /** How many of these stand around a spinner: it stands for the content of the innermost where nothing else comes. */
  #turnsIn = 0;
  /** Whether that is in a place of a list; of the line the same. */
  #turnsInList = false;
  #isLineListed = false;
  /** Nothing stands between here and the heading of a part of the content. */
  #isHeaded = false;
  #side: Side = 'content';
  #lastTag = '';
  /** The beginning of the text since the last tag; it comes in pieces. */
  #line = '';

  /** Beside the content only what says that something is to come counts, not what is merely empty. */
  onStartTag(name: string, attributes: ReadonlyMap<string, string>, side: Side): void {
    this.#endLine();
    this.#fill();
    if (this.#skeleton?.name === name) this.#skeleton.depth++;
    this.#side = side;
    this.#lastTag = name;
    if (pictures.test(name) && !isOfWaiting(attributes)) {
      this.#skeleton = null;
      this.#isHeaded = false;
    }
    const isAlone = this.#bare.length > 0;
    const words = names.map((attribute) => attributes.get(attribute) ?? '').join(' ');
    if (!isVoid(name) && this.#bare.length < mostBare) {
      const isListed = lists.test(name) || (!frames.test(name) && listPlace.test(words));
      this.#bare.push({ name, isListed });
    }
    if (side === 'away') return;
    if (side === 'content' && attributes.get('aria-busy') === 'true') this.found ??= 'a busy region';
    if (side === 'content' && isIndeterminate(attributes)) this.#tell('a busy region', this.#isListed);
    const kind = frames.test(name) ? null : waitingOf(words, attributes);
    const isStatus = side === 'content' && attributes.get('role') === 'status';
    if (kind !== null)
      this.#skeleton ??= { name, depth: 1, kind, isAlone, isListed: isStatus || listPlace.test(words) };
    const isPrice = price.test(words);
    if (isPlace(name, attributes, words) && (isPrice || side === 'content'))
      this.#place = {
        name,
        words: attributes.get('id') ?? words,
        isPrice,
        isPlain: this.#isHeaded || isPlainPlace(name, attributes, words),
        showsNothing: false,
      };
  }

  /** Text that a reader sees, a word or the white space between two at a time. */
  onText(text: string): void {
    if (this.#line.trim() === '') this.#isLineListed = this.#isListed;
    if (this.#line.length < 500) this.#line += text;
    if (stopgap.test(text)) return;
    if (!waiting.test(text)) {
      this.#skeleton = null;
      this.#isHeaded = false;
      if (!heading.test(this.#lastTag) && this.#side !== 'away') this.#bare.length = this.#turnsIn = 0;
    }
    if (this.#place?.isPrice && nothing.test(text)) this.#place.showsNothing = true;
    else this.#fill();
  }

  onEndTag(name: string): void {
    this.#endLine();
    const place = this.#place;
    this.#place = null;
    if (place?.name === name) this.#judge(place);
    const at = this.#bare.findLastIndex((one) => one.name === name);
    if (at !== -1) this.#bare.length = at;
    if (partHeading.test(name) && this.#side === 'content') this.#isHeaded = true;
    if (this.#skeleton?.name === name && --this.#skeleton.depth === 0) {
      const { kind, isAlone, isListed } = this.#skeleton;
      this.#skeleton = null;
      if (kind === 'in place') this.found ??= 'a skeleton';
      else if (kind === 'beside') this.guessed ??= 'a skeleton';
      else if (kind === 'state') this.#tell('a skeleton', isListed || this.#isListed);
      else if (kind === 'spinner' && isAlone) {
        this.#turnsIn = this.#bare.length;
        this.#turnsInList = this.#isListed;
      }
    } else if (this.#bare.length < this.#turnsIn) this.#tell('a skeleton', this.#turnsInList);
  }

  /** In a place of a list, or what stands in the place of all that a heading is about. */
  get #isListed(): boolean {
    return this.#isHeaded || this.#bare.slice(-2).some(({ isListed }) => isListed);
  }

  #tell(what: string, isPlain: boolean): void {
    if (isPlain) this.found ??= what;
    else this.guessed ??= what;
  }

  #judge({ words, isPlain, showsNothing }: Place): void {
    const waits = this.#side === 'content' && !this.#filled.has(words);
    if (showsNothing || waits) this.#tell('an empty place for content', showsNothing || isPlain);
  }

  #fill(): void {
    if (this.#place !== null && this.#filled.size < mostFilled) this.#filled.add(this.#place.words);
    this.#place = null;
  }

  #endLine(): void {
    const line = this.#side === 'away' ? '' : this.#line;
    this.#line = '';
    // What a spinner says is told by the spinner.
    const isOfSpinner = this.#skeleton !== null && this.#skeleton.kind !== 'in place';
    if (waiting.test(line) && !called.test(this.#lastTag) && !isOfSpinner)
      this.#tell('a text that asks to wait', this.#isLineListed);
    if (template.test(line)) this.found ??= 'a template of the client';
  }
}

/** An element that is made for content. */
interface Place {
  name: string;
  words: string;
  isPrice: boolean;
  /** It says what it is for, rather than how it is laid out. */
  isPlain: boolean;
  showsNothing: boolean;
}

/** A class such as `content` or `list` alone may be one of its looks. */
function isPlainPlace(name: string, attributes: ReadonlyMap<string, string>, words: string): boolean {
  const isOfLooks = wholePlace.test(words) && !wholePlace.test(attributes.get('id') ?? '');
  return !isOfLooks || contentElement.test(name) || contentPlace.test(words);
}

function isPlace(name: string, attributes: ReadonlyMap<string, string>, words: string): boolean {
  if (contentElement.test(name)) return true;
  if (!canHold.test(name) || noPlace.test(words)) return false;
  if (contentPlace.test(words) || wholePlace.test(words)) return true;
  return [...attributes].some(([attribute, value]) => contentData.test(attribute) && !amount.test(value));
}

/** What stands for content that is to come: in its place, as its state, as a spinner, over a page that is there, or for what stands beside it. */
type Waiting = 'in place' | 'state' | 'spinner' | 'cover' | 'beside';

function waitingOf(words: string, attributes: ReadonlyMap<string, string>): Waiting | null {
  if (cover.test(words)) return 'cover';
  if (!skeleton.test(words)) return null;
  if (others.test(words)) return 'beside';
  const isState = /(^|\s)loading(\s|$)/i.test(words) && !skeleton.test(attributes.get('id') ?? 'loading');
  const isToldOf = /^(status|progressbar)$/.test(attributes.get('role') ?? '');
  if (inPlace.test(words)) return 'in place';
  return isState || isToldOf ? 'state' : 'spinner';
}

/** A picture that turns while something is loaded. */
function isOfWaiting(attributes: ReadonlyMap<string, string>): boolean {
  return ['src', 'alt', 'class'].some((one) => /load|spin|wait/i.test(attributes.get(one) ?? ''));
}

/** Tells that something is being done, not how far it is. */
function isIndeterminate(attributes: ReadonlyMap<string, string>): boolean {
  return attributes.get('role') === 'progressbar' && !attributes.has('aria-valuenow');
}
