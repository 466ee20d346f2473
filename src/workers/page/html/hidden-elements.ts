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
/** That name what they open. */
const mostControls = 2_000;

interface Look {
  /** It has no place in the page: it, or what it stands in. */
  isGone: boolean;
  /** It has its place, and is not seen there. */
  isUnseen: boolean;
  /** It stands in a menu, a footer and the like. */
  isElsewhere: boolean;
}

const plain: Look = { isGone: false, isUnseen: false, isElsewhere: false };

/**
 * Tells what no reader sees, as tags come by: what the markup or a `style` of its own hides. What a reader may open is
 * seen: `details` that are closed, panels behind a heading or a tab, and `hidden="until-found"`, which a search in the page opens.
 * Style sheets are not known.
 */
export class HiddenElements {
  readonly #open = new OpenElements<Look>();
  /** Ids of what the elements so far open and close. */
  readonly #controlled = new Set<string>();

  get isGone(): boolean {
    return this.#look.isGone;
  }

  get isHidden(): boolean {
    return this.#look.isGone || this.#look.isUnseen;
  }

  start(name: string, attributes: ReadonlyMap<string, string>): void {
    const controls = attributes.get('aria-controls');
    if (controls !== undefined && this.#controlled.size < mostControls) this.#controlled.add(controls);
    this.#open.start(name, () => this.#lookOf(name, attributes));
  }

  end(name: string): void {
    this.#open.end(name);
  }

  get #look(): Look {
    return this.#open.state ?? plain;
  }

  #lookOf(name: string, attributes: ReadonlyMap<string, string>): Look {
    const around = this.#look;
    const style = attributes.get('style') ?? '';
    const display = lastValue(style, displays);
    const isShut = display === 'none' || (display === null && isHiddenByAttribute(name, attributes));
    const isGone =
      around.isGone ||
      replaced.test(name) ||
      (isShut && !(this.#isPanel(name, attributes) && !around.isElsewhere));
    const visibility = lastValue(style, visibilities);
    const isUnseen = visibility === null ? around.isUnseen : visibility !== 'visible';
    // Some sites are one form, each page whole.
    const isElsewhere = around.isElsewhere || (elsewhere.has(name) && name !== 'form');
    const isSame =
      isGone === around.isGone && isUnseen === around.isUnseen && isElsewhere === around.isElsewhere;
    return isSame ? around : { isGone, isUnseen, isElsewhere };
  }

  /** A click shows it: it is as much the page's text as what is open. */
  #isPanel(name: string, attributes: ReadonlyMap<string, string>): boolean {
    const names = attributes.get('class') ?? '';
    const role = attributes.get('role') ?? '';
    if (elsewhere.has(name) || windowRole.test(role) || windowName.test(names)) return false;
    if (role === 'tabpanel' || attributes.has('aria-labelledby') || panelName.test(names)) return true;
    return this.#controlled.has(attributes.get('id') ?? '');
  }
}

function isHiddenByAttribute(name: string, attributes: ReadonlyMap<string, string>): boolean {
  if (undrawn.test(name) || attributes.has('popover')) return true;
  if (name === 'dialog' && !attributes.has('open')) return true;
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
