import { isIncidental, isSwitch, PageRegion } from './page-region.ts';
import { scanHtml, wordsOf } from '../html/scan-html.ts';
import type { ScriptEffects, Work } from './script-effects.ts';
import type { Write } from './script-places.ts';
import { lookupNames } from './lookup-aliases.ts';
import { UnseenElements } from '../html/unseen-elements.ts';

/** Text of so few characters is what a script replaces: a dash, a zero, "Loading…". */
const stopgapText = 20;
/** A telephone number, say, that a script exchanges for another. */
const digitsOfNumber = 7;
/** Says that something is to come, or that nothing is known. */
const waits =
  /[:…]\s*$|\.\.\s*$|load|wait|fetch|java ?script|soon|request|^\W*(n\W?a|none|null|undefined|unknown|tb[acd])\W*$/i;
const twoLetters = /\p{L}\P{L}?\p{L}/u;
/** Of a language, a currency or an edition. */
const code = /^\W*([A-Z]([. ]?[A-Z]){1,2}\.?|[a-z]{2})\W*$/;
const oneWord = /^\P{L}*\p{L}{2,12}\P{L}*$/u;
const someWords = /\p{L}{2}.*\P{L}\p{L}{2}/u;
/** By which a translation is found. */
const translationKey = /^\s*[a-z][a-z\d-]+([._:][a-z\d-]{2,})+\s*$/i;
const unseenElements = ['script', 'style', 'noscript', 'template', 'title', 'svg', 'iframe'];
/** Shows no content of its own, whatever is added to it. */
const notPlaces = /^(form|button|input|label|option|select|img|svg|iframe)$/;
/** Nested places that are measured at a time. */
const maxOpen = 20;
/** The last part of a selector: an id, a class, an attribute, or an element behind others. */
const lastPart = /(?:^|[\s>+~])[^\s>+~]{0,100}?(#[\w-]+|\.[\w-]+|\[[\w-]+(?:=["']?[^"'\]]*["']?)?\])$/i;
const lastElement = /(?:^|[\s>])(tbody|ul|ol|dl|table|div|span|p|td|section|output)$/i;
const oneName = /^\w+$/;
const namedKey = /^[#.[]|-/;
const customElement = /^[a-z]\w*-[\w-]+$/;
const longestSelector = 300;
/** Characters of a text that are kept. */
const longestText = 200;
const wholePage = /^(body|main|article|html|documentElement)$/;

/** An element, and how much text it shows. */
interface Place {
  name: string;
  /** The beginning of its text. */
  text: string;
  length: number;
  digits: number;
  /** It stands beside the content, or is seen after acting only. */
  isBeside: boolean;
  isInMenu: boolean;
  /** Of languages and the like. */
  isOfSwitch: boolean;
}

/** How much text stands in the places of a page that its scripts write to. */
export class PlaceTexts {
  readonly #html: string;

  constructor(html: string) {
    this.#html = html;
  }

  /**
   * Whether one of the writes brings content that is not there: into a place that is as good as empty, or beside what is.
   *
   * @param isSparse the page has little content of its own.
   */
  wouldChange({ works }: ScriptEffects, isSparse: boolean): boolean {
    const writes = works.flatMap((work) => work.writes).filter(({ isUntold }) => isSparse || !isUntold);
    if (writes.length === 0) return false;
    const guesses = works
      .filter((work) => work.writes.some(({ place }) => place === null))
      .flatMap((work) => guessPlaces(work, works))
      // Some element of such a name is empty on many pages.
      .filter((place) => !oneName.test(place.trim()) && namedKey.test(keyOf(place) ?? ''))
      .map((place) => ({ place, replaces: true }));
    const places = new Set(
      [
        ...writes.flatMap(({ place, from }) => [place, from ?? null]),
        ...guesses.map(({ place }) => place),
      ].flatMap((place) => keyOf(place) ?? []),
    );
    const found = this.#measure(places);
    const isChanged = (
      { place, replaces, rewords, labels, isWording, from }: Write,
      isGuess: boolean,
    ): boolean => {
      const key = keyOf(place);
      const source = keyOf(from ?? null);
      if (source !== null && source !== key && isShown(found.get(source))) return false;
      if (key === null) return place !== null && wholePage.test(place);
      // A place that the page does not have is one that another script makes, or none at all.
      const at = found.get(key);
      if (at === undefined || ((isGuess || labels) && at.name === 'a')) return false;
      if (
        isGuess &&
        ((at.isBeside && !customElement.test(key)) || (twoLetters.test(at.text) && !waits.test(at.text)))
      )
        return false;
      if (!replaces) return !(at.isBeside && at.length > 0);
      return isShort(at) && !(rewords === true && (isWorded(at) || (isWording === true && isSaying(at))));
    };
    return writes.some((one) => isChanged(one, false)) || guesses.some((one) => isChanged(one, true));
  }

  /** @returns by `#id`, `.class`, `[attribute]` and name, the first element of it. */
  #measure(places: ReadonlySet<string>): Map<string, Place> {
    const found = new Map<string, Place>();
    const unseen = new UnseenElements(unseenElements);
    const region = new PageRegion();
    let open: { place: Place; depth: number }[] = [];
    scanHtml(this.#html, {
      onStartTag(name, attributes) {
        if (unseen.start(name, attributes) || unseen.inside !== null) return;
        region.start(name, attributes);
        for (const one of open) {
          if (one.place.name === name) one.depth++;
          one.place.isBeside &&= region.isAround;
        }
        if (isIncidental(name, attributes) || notPlaces.test(name)) return;
        const keys = [`#${attributes.get('id') ?? ''}`, name]
          .concat((attributes.get('class') ?? '').split(/\s+/, 30).map((one) => `.${one}`))
          .concat([...attributes.keys()].map((one) => `[${one}]`));
        for (const key of keys) {
          if (!places.has(key) || found.has(key) || open.length >= maxOpen) continue;
          const place = {
            name,
            text: '',
            length: 0,
            digits: 0,
            isBeside: region.isAround,
            isInMenu: region.isInMenu,
            isOfSwitch: isSwitch(attributes),
          };
          found.set(key, place);
          open.push({ place, depth: 1 });
        }
      },
      onText(text) {
        if (unseen.inside !== null || open.length === 0) return;
        const length = wordsOf(text).reduce((sum, word) => sum + word.trim().length, 0);
        const digits = text.replace(/\D/g, '').length;
        const begins = text.trim().slice(0, longestText);
        for (const { place } of open) {
          if (begins !== '' && place.length < stopgapText) place.text += `${begins} `;
          place.length += length;
          place.digits += digits;
        }
      },
      onEndTag(name) {
        if (unseen.end(name) || unseen.inside !== null) return;
        region.end(name);
        for (const one of open) if (one.place.name === name) one.depth--;
        open = open.filter(({ depth }) => depth > 0);
      },
    });
    return found;
  }
}

const isShown = (at: Place | undefined): boolean => at !== undefined && at.length > 0 && !at.isBeside;

const isShort = ({ length, digits }: Place): boolean => length < stopgapText && digits < digitsOfNumber;

/** Says something already, which a script only words otherwise: another language, another currency. */
const isWorded = ({ text, digits, isInMenu, isOfSwitch }: Place): boolean =>
  digits === 0 &&
  twoLetters.test(text) &&
  !waits.test(text) &&
  !translationKey.test(text) &&
  (code.test(text) || isInMenu || (isOfSwitch && oneWord.test(text)));

/** In words already, which a script has others for. */
const isSaying = ({ text, digits }: Place): boolean =>
  digits === 0 && someWords.test(text) && !waits.test(text) && !translationKey.test(text);

/** Where a script may write that does not say so plainly: what it looks up, and what others give to functions of its own. */
function guessPlaces(work: Work, works: readonly Work[]): string[] {
  const words = new Set(work.source.match(/[\w$]+/g));
  const isGuess = (by: string, other: Work) => other === work || (words.has(by) && !lookupNames.test(by));
  return works.flatMap((other) =>
    other.lookups.filter(({ by }) => isGuess(by, other)).map(({ place }) => place),
  );
}

function keyOf(place: string | null): string | null {
  const selector = place?.trim() ?? '';
  // Any text of a script may be taken for one.
  if (selector.length > longestSelector) return null;
  if (/^(head|link|script|style|meta)\b/i.test(selector)) return null;
  if (customElement.test(selector)) return selector;
  const part = lastPart.exec(selector)?.[1];
  if (part === undefined) {
    const element = lastElement.exec(selector)?.[1]?.toLowerCase() ?? null;
    // Prototype's `$('news')` is an id.
    return element === null && oneName.test(selector) && !wholePage.test(selector) ? `#${selector}` : element;
  }
  return part.startsWith('[') ? `[${part.slice(1, -1).replace(/=.*$/, '')}]` : part;
}
