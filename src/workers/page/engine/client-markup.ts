import type { Side } from './page-region.ts';

/** Attributes by which a framework puts text into an element that is empty until then. */
const boundText =
  /^(x|v|ng|data-ng|data-x|data|m|mv)-(text|html|bind|bind-html|text-content)$|^(\[(innerhtml|innertext|textcontent)\]|data-bind|data-text|data-html|data-content-url|data-include|data-src-html|th-text)$/;
/** Of elements that are written once and shown many times. */
const repeated = /^(x-for|v-for|\*ngfor|(data-)?ng-repeat|data-repeat|data-each|\*for|wire:init)$/;
const knockout = /\b(foreach|template|component|html|text)\s*:/;
const repeats = /\b(foreach|template|component)\s*:/;
const asks = /\b(fetch|axios|XMLHttpRequest|\$\.(get|getJSON|ajax|post))\b|\$fetch|\bload\w*\(/;
/** Elements that hold content, or nothing, wherever they stand. */
const holder = /^(tbody|astro-island)$/;
/** These where a script can find them. */
const namedHolder = /^(ul|ol|dl|table|p|output|pre|blockquote)$/;
/** Custom elements that show no text of the page's own. */
const decoration =
  /^(amp|g|fb|gcse|ion|fa|mat|mdi|lottie|model|relative)-|-(icons?|svg|spinner|loader|button|toggle|switch|provider|observer|portal|script|style|image|img|pixel|tracker|analytics|counter|count|data|meta|state|announcer|progress|placement|ads?|adsense|banner|tray|drawer|modal|dialog|popup|menu|nav|header|footer|search|cart|share|tooltip|copy|outlet|overlay|consent)$/;

/** Finds what only a script makes content of, by the marks of the frameworks, as tags and texts come by. */
export class ClientMarkup {
  /** What was found first. */
  found: string | null = null;
  /** Elements that are empty, by their ids. */
  readonly emptyIds = new Set<string>();
  #open: { name: string; isBound: boolean; id: string } | null = null;

  /** What is marked plainly counts beside the content too; what is only guessed does not. */
  onStartTag(name: string, attributes: ReadonlyMap<string, string>, side: Side): void {
    this.#open = null;
    if (side === 'away') return;
    const isContent = side === 'content';
    if (name === 'astro-island' && attributes.get('client') === 'only')
      this.found ??= 'an island of the client';
    const id = attributes.get('id') ?? '';
    let isBound = holder.test(name) || (isContent && id !== '' && namedHolder.test(name));
    for (const [attribute, value] of attributes) {
      const isRepeated = repeated.test(attribute) || (attribute === 'data-bind' && repeats.test(value));
      if (isRepeated) this.found ??= 'a repeated element';
      if ((attribute === 'x-init' || attribute === 'x-data') && asks.test(value))
        this.found ??= 'a component that asks';
      isBound ||= boundText.test(attribute) && (attribute !== 'data-bind' || knockout.test(value));
    }
    const isCustom = isContent && name.includes('-') && !decoration.test(name);
    const isHidden = attributes.has('hidden') || /display:\s*none/i.test(attributes.get('style') ?? '');
    if (!isHidden && (isBound || isCustom || id !== ''))
      this.#open = { name, isBound: isBound || isCustom, id };
  }

  onTemplate(attributes: ReadonlyMap<string, string>): void {
    const isClients = [...attributes.keys()].some((one) => repeated.test(one) || one === 'x-if');
    if (isClients) this.found ??= 'a repeated element';
  }

  /** Text that a reader sees. */
  onText(text: string): void {
    if (text.trim() !== '') this.#open = null;
  }

  onEndTag(name: string): void {
    const open = this.#open;
    this.#open = null;
    if (open === null || open.name !== name) return;
    if (open.id !== '') this.emptyIds.add(open.id);
    if (open.isBound) this.found ??= `an empty ${name}`;
  }
}
