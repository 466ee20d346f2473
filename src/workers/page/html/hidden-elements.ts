import { OpenElements } from './open-elements.ts';
import { elsewhere, panelName, windowName, windowRole } from './panel-names.ts';

/** HTML standard, 15.3; MathML Core. */
const undrawn = /^(annotation|annotation-xml|datalist|rp)$/;
/** Something else is drawn in place of their content, whatever their style. */
const replaced = /^(audio|canvas|meter|progress|video)$/;
/** A part of a page that comes after the rest of it: React moves it to its place. */
const streamed = /^S:[\da-f]{1,8}$/;
const displays =
  /(?:^|[;\s])display\s*:\s*(none|block|inline(?:-block|-flex|-grid|-table)?|flex|grid|contents|flow-root|list-item|table(?:-[a-z-]+)?)\b(\s*!\s*important\b)?/gi;
const visibilities = /(?:^|[;\s])visibility\s*:\s*(visible|hidden|collapse)\b(\s*!\s*important\b)?/gi;
/** Libraries that show parts of a page as they come into view hide them so until then: WOW, GSAP. */
const awaitsView = /(?:^|[;\s])(?:-webkit-)?animation-name\s*:/i;
const faded = /(?:^|[;\s])opacity\s*:\s*0(?:\.0{1,9})?\s*(?:;|$)/i;
const moved = /(?:^|[;\s])transform\s*:/i;
const revealName = /(?:^|\s)(?:wow|aos-init|animate__animated)(?:$|\s)/i;
/** Of a tag that names what it opens. */
const controlsValue = /\saria-controls\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;
/** That of a window closes it, too: what folds out says whether it is open. */
const foldsOut = /\s(?:aria-expanded|role\s*=\s*["']?tab\b)/i;
/** Characters of a tag that are looked at. */
const nearTag = 1_000;
/** That are named. */
const mostControlled = 2_000;

/** What no property is read from. */
const notProperties = /\/\*[^]*?(?:\*\/|$)|"[^"]*"?|'[^']*'?/g;

/** The `style` of an element, without comments and strings. */
export function styleOf(attributes: ReadonlyMap<string, string>): string {
  return (attributes.get('style') ?? '').replace(notProperties, ' ');
}

interface Visibility {
  /** It has no place in the page: it, or what it stands in. */
  isGone: boolean;
  /** Nor is any script or style to give it one. */
  isNever: boolean;
  /** It has its place, and is not seen there. */
  isUnseen: boolean;
  /** It stands in a menu, a footer and the like. */
  isElsewhere: boolean;
}

const plain: Visibility = { isGone: false, isNever: false, isUnseen: false, isElsewhere: false };

/**
 * Tells what no reader sees, as tags come by: what the markup or a `style` of its own hides. What a reader may open is
 * seen: `details` that are closed, panels behind a heading or a tab, and `hidden="until-found"`, which a search in the page opens.
 * Style sheets are not known.
 */
export class HiddenElements {
  readonly #open = new OpenElements<Visibility>();
  /** Ids of what other elements open and close. */
  readonly #controlled = new Set<string>();

  /** @param html whose tags will come by: what opens a panel may stand behind it. */
  constructor(html = '') {
    for (const tag of tagsAround('aria-controls', html)) {
      const [, double, single, bare] = controlsValue.exec(tag) ?? [];
      if (foldsOut.test(tag)) this.#addControlled(double ?? single ?? bare ?? '');
    }
  }

  get isGone(): boolean {
    return this.#visibility.isGone;
  }

  get isNever(): boolean {
    return this.#visibility.isNever;
  }

  get isHidden(): boolean {
    return this.#visibility.isGone || this.#visibility.isUnseen;
  }

  start(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#addControlled(attributes.get('aria-controls') ?? '');
    this.#open.start(name, () => this.#visibilityOf(name, attributes));
  }

  end(name: string): void {
    this.#open.end(name);
  }

  get #visibility(): Visibility {
    return this.#open.state ?? plain;
  }

  #addControlled(ids: string): void {
    for (const [id] of ids.matchAll(/\S+/g))
      if (this.#controlled.size < mostControlled) this.#controlled.add(id);
  }

  #visibilityOf(name: string, attributes: ReadonlyMap<string, string>): Visibility {
    const around = this.#visibility;
    const style = styleOf(attributes);
    const display = lastValue(style, displays);
    const isClosed = isClosedByItself(name, attributes);
    const isShut = display === 'none' || (display === null && (isClosed || hasHidden(attributes)));
    const isNever = around.isNever || replaced.test(name) || (isShut && isClosed);
    const isGone =
      around.isGone || isNever || (isShut && (around.isElsewhere || !this.#isPanel(name, attributes)));
    const visibility = lastValue(style, visibilities);
    const isUnseen =
      visibility === null || (visibility !== 'visible' && comesIntoView(name, attributes, around))
        ? around.isUnseen
        : visibility !== 'visible';
    // Some sites are one form, each page whole.
    const isElsewhere = around.isElsewhere || (elsewhere.has(name) && name !== 'form');
    const isSame =
      isGone === around.isGone &&
      isNever === around.isNever &&
      isUnseen === around.isUnseen &&
      isElsewhere === around.isElsewhere;
    return isSame ? around : { isGone, isNever, isUnseen, isElsewhere };
  }

  /** A click shows it: it is as much the page's text as what is open. */
  #isPanel(name: string, attributes: ReadonlyMap<string, string>): boolean {
    if (isWindow(name, attributes)) return false;
    const role = attributes.get('role') ?? '';
    const names = attributes.get('class') ?? '';
    if (role === 'tabpanel' || attributes.has('aria-labelledby') || panelName.test(names)) return true;
    return this.#controlled.has(attributes.get('id') ?? '');
  }
}

/** Tags in which a text stands, as far as they are near it. */
function* tagsAround(text: string, html: string): Iterable<string> {
  let at = html.indexOf(text);
  for (let count = 0; at !== -1 && count < mostControlled; count++) {
    const before = html.slice(Math.max(0, at - nearTag), at);
    const after = html.slice(at, at + nearTag);
    const end = after.indexOf('>');
    yield before.slice(before.lastIndexOf('<') + 1) + after.slice(0, end === -1 ? undefined : end);
    at = html.indexOf(text, at + text.length);
  }
}

function isWindow(name: string, attributes: ReadonlyMap<string, string>): boolean {
  const role = attributes.get('role') ?? '';
  return elsewhere.has(name) || windowRole.test(role) || windowName.test(attributes.get('class') ?? '');
}

/** Whoever scrolls to it sees it. */
function comesIntoView(name: string, attributes: ReadonlyMap<string, string>, around: Visibility): boolean {
  const style = styleOf(attributes);
  if (awaitsView.test(style) || revealName.test(attributes.get('class') ?? '')) return true;
  // So are menus, before they are opened.
  return faded.test(style) && moved.test(style) && !around.isElsewhere && !isWindow(name, attributes);
}

/** Whatever its attribute `hidden` says. */
function isClosedByItself(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (undrawn.test(name) || attributes.has('popover')) return true;
  return name === 'dialog' && !attributes.has('open');
}

function hasHidden(attributes: ReadonlyMap<string, string>): boolean {
  if (streamed.test(attributes.get('id') ?? '')) return false;
  const hidden = attributes.get('hidden');
  return hidden !== undefined && hidden.toLowerCase() !== 'until-found';
}

/** The one that counts of what a style says of a property. */
function lastValue(style: string, property: RegExp): string | null {
  if (style === '') return null;
  let value: string | null = null;
  let isSettled = false;
  for (const [, one = '', important] of style.matchAll(property)) {
    if (isSettled && important === undefined) continue;
    value = one.toLowerCase();
    isSettled ||= important !== undefined;
  }
  return value;
}
