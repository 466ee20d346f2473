import { isVoid } from '../html/void-elements.ts';
import { isBesideByName, isHidden, type Side } from './page-region.ts';

/** Attributes by which a framework puts text into an element that is empty until then. */
const boundText =
  /^(x|v|ng|data-ng|data-x|data|m|mv)-(text|html|bind|bind-html|text-content)$|^(\[(innerhtml|innertext|textcontent)\]|data-bind|data-text|data-html|data-content-url|data-include|data-src-html|th-text)$|^(data-)?(ng-(view|include)|ui-view)$|^:(text|inner-?html|text-?content)(\.prop)?$|^sse-swap$|^data-[\w-]+-url-value$/;
/** Attributes of other libraries are called so too. */
const isAmbiguous = /^data-(text|html|include)$/;
/** A text for people, rather than what it is found by. */
const plainWords = /^\s*\p{L}[\p{L}'’-]*( [\p{L}'’-]+)+[.!?…]?\s*$/u;
/** What is to be shared is told to the script of a link so. */
const takesText = /^(a|button)$/;
/** Icons are drawn in it. */
const takesIcon = /^i$/;
/** Of elements that are written once and shown many times. */
const repeated = /^(x-for|v-for|\*ngfor|(data-)?ng-repeat|data-repeat|data-each|\*for|wire:init)$/;
/** A condition that its reader fulfils, as a whole: the name of a window's state. */
const opened = /^\s*[\w$.]{0,60}(open|show\w{0,30}menu|modal)\s*$/i;
const knockout = /\b(foreach|template|component|html|text)\s*:/;
const repeats = /\b(foreach|template|component)\s*:/;
const asks = /\b(fetch|axios|XMLHttpRequest|\$\.(get|getJSON|ajax|post))\b|\$fetch|\bload\w*\(/;
/** Of htmx. */
const asksByItself = /\b(load|revealed|intersect|every)\b/;
/** Of Livewire. */
const loadsLate = /__lazyLoad\(/;
/** Elements whose content their address gives. */
const fragment = /^(turbo-frame|include-fragment)$/;
/** Elements that hold content, or nothing, wherever they stand. */
const holder = /^(tbody|astro-island)$/;
/** Of a part of the content, not of the whole. */
const partHeading = /^h[2-6]$/;
/** These where a script can find them. */
const namedHolder = /^(ul|ol|dl|table|p|output|pre|blockquote)$/;
/** Custom elements that show no text of the page's own. */
const decoration =
  /^(add-to|amp|g|fb|gcse|ion|fa|mat|mdi|lottie|model|relative)-|-(bar|css|link|styles?|icons?(-.*)?|svg|spinner|loader|button|toggle|switch|provider|observer|portal|script|style|image|img|pixel|tracker|analytics|counter|count|data|meta|state|announcer|progress|placement|ads?|adsense|banner|tray|drawer|modal|dialog|popup|menu|nav|header|footer|search|cart|share|tooltip|copy|outlet|overlay|consent)$/;

/** The beginning of an object or a list of some. */
const json = /^\s*(\{\s*"|\[\s*[{"])/;
/** What a program says when something happens, and how it is set. */
const ofProgram = /message|translation|i18n|locale|label|setting|option|config/;
/** Characters; and elements. */
const longestProps = 20_000;
const mostProps = 50;

/** Of how it looks, and for scripts of all kinds. */
const ofAnyElement = /^(class|id|style|role|slot|(aria|data)-.*)$/;

/** `data-props`, `data-model`: the longest of its attributes that is JSON. */
function propsOf(attributes: ReadonlyMap<string, string>): string {
  let longest = '';
  for (const [name, value] of attributes)
    if (
      value.length > longest.length &&
      name.startsWith('data-') &&
      !ofProgram.test(name) &&
      json.test(value)
    )
      longest = value;
  return longest.slice(0, longestProps);
}

/** Says itself what it shows, and is not named after what stands beside the content. */
const isTold = (name: string, attributes: ReadonlyMap<string, string>): boolean =>
  !isBesideByName(attributes, name) &&
  [...attributes].some(([attribute, value]) => value !== '' && !ofAnyElement.test(attribute));

/** Finds what only a script makes content of, by the marks of the frameworks, as tags and texts come by. */
export class ClientMarkup {
  /** What was found first. */
  found: string | null = null;
  /** The same of what may stand beside the content, too. */
  guessed: string | null = null;
  /** What empty elements of the content are given as JSON, for a script to show in them. */
  readonly props: string[] = [];
  #given: { name: string; props: string } | null = null;
  /** An element that only a script fills, empty so far. */
  #open: string | null = null;
  #isGuess = false;
  /** Nothing stands between here and the heading of a part of the content. */
  #isHeaded = false;
  #side: Side = 'content';

  /** A framework's own marks count wherever they stand, what it hides until it runs too; what is only guessed does not. */
  onStartTag(name: string, attributes: ReadonlyMap<string, string>, side: Side): void {
    this.#open = null;
    const isGiven = side === 'content' && !isVoid(name) && !takesText.test(name) && !decoration.test(name);
    this.#given = isGiven ? { name, props: propsOf(attributes) } : null;
    this.#side = side;
    const isContent = side === 'content';
    if (name === 'astro-island' && attributes.get('client') === 'only')
      this.found ??= 'an island of the client';
    const isFragment =
      isContent && fragment.test(name) && attributes.has('src') && !attributes.has('disabled');
    const isTable = attributes.get('data-toggle') === 'table' && attributes.has('data-url');
    if (isFragment || (isContent && isTable)) this.found ??= 'a part that is asked for';
    const isHolder = isContent && (attributes.get('id') ?? '') !== '' && namedHolder.test(name);
    const isCustom = name.includes('-') && !decoration.test(name);
    const isSeen = !isHidden(attributes);
    const isShowing = isCustom && isSeen && side !== 'away' && isTold(name, attributes);
    let isBound = isShowing || (holder.test(name) && side !== 'away');
    for (const [attribute, value] of attributes) {
      const isRepeated = repeated.test(attribute) || (attribute === 'data-bind' && repeats.test(value));
      if (isRepeated) this.found ??= 'a repeated element';
      if ((attribute === 'x-init' || attribute === 'x-data') && asks.test(value))
        this.found ??= 'a component that asks';
      if (/^x-(init|intersect)/.test(attribute) && loadsLate.test(value))
        this.found ??= 'a part that is asked for';
      if (/^(data-)?hx-trigger$/.test(attribute) && asksByItself.test(value))
        this.found ??= 'a part that is asked for';
      if ((side === 'away' || takesText.test(name)) && isAmbiguous.test(attribute)) continue;
      if (takesIcon.test(name) && /icon|svg/i.test(value)) continue;
      if (isAmbiguous.test(attribute) && plainWords.test(value)) continue;
      isBound ||= boundText.test(attribute) && (attribute !== 'data-bind' || knockout.test(value));
    }
    this.#isGuess = !isBound && !this.#isHeaded && !(isHolder && name === 'table');
    if (isBound || (isSeen && (isHolder || (isCustom && isContent)))) this.#open = name;
  }

  onTemplate(attributes: ReadonlyMap<string, string>): void {
    if ([...attributes.keys()].some((name) => repeated.test(name))) this.found ??= 'a repeated element';
    const condition = attributes.get('x-if');
    if (condition !== undefined && !opened.test(condition)) this.guessed ??= 'a repeated element';
  }

  /** Text that a reader sees. */
  onText(text: string): void {
    if (text.trim() === '') return;
    this.#open = null;
    this.#given = null;
    this.#isHeaded = false;
  }

  onEndTag(name: string): void {
    const given = this.#given;
    this.#given = null;
    if (given?.name === name && given.props !== '' && this.props.length < mostProps)
      this.props.push(given.props);
    if (this.#open === name && this.#isGuess) this.guessed ??= `an empty ${name}`;
    else if (this.#open === name) this.found ??= `an empty ${name}`;
    this.#open = null;
    if (partHeading.test(name) && this.#side === 'content') this.#isHeaded = true;
  }
}
