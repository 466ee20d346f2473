import { type Leading, readRefresh, resolveTarget, soonestRefresh } from '../load/refresh.ts';
import { resolveLink } from './page-links.ts';
import { scanHtml } from './scan-html.ts';
import { SilentElements } from './silent-elements.ts';

/** No other page is looked through for one. */
const mayRefresh = /http-equiv[\s="']{1,50}refresh/i;

/** Gathers what a page says about where it leads by itself, as its tags come by. */
export class RefreshReader {
  readonly #url: string;
  readonly #charset: string | null;
  readonly #refreshes: (Leading | null)[] = [];
  readonly #hidden = new SilentElements(['template', 'noscript']);
  #base: string | null = null;
  /** It runs scripts, which may lead elsewhere before. */
  hasScripts = false;

  constructor(url: string, headers: Record<string, string>, charset: string | null) {
    this.#url = url;
    this.#charset = charset;
    if (headers['refresh'] !== undefined) this.#add(headers['refresh']);
  }

  /** What the page's links are relative to. */
  get base(): string {
    return this.#base ?? this.#url;
  }

  /** Where the soonest refresh leads; `isSelf` where that is the page again. */
  get target(): (Leading & { isSelf: boolean }) | null {
    const soonest = soonestRefresh(this.#refreshes);
    return soonest && { ...soonest, isSelf: soonest.url === this.#url };
  }

  #add(content: string): void {
    this.#refreshes.push(readRefresh(content, (target) => resolveTarget(target, this.base, this.#charset)));
  }

  onStartTag(name: string, attributes: ReadonlyMap<string, string>): void {
    this.#hidden.start(name, attributes);
    if (this.#hidden.inside !== null) return;
    if (name === 'base' && attributes.has('href'))
      this.#base ??= resolveLink(attributes.get('href') ?? '', this.#url) ?? this.#url;
    if (name === 'meta' && attributes.get('http-equiv')?.trim().toLowerCase() === 'refresh')
      this.#add(attributes.get('content') ?? '');
    if (name === 'script') this.hasScripts ||= !/json/i.test(attributes.get('type') ?? '');
    if (name === 'body') this.hasScripts ||= attributes.has('onload');
  }

  onEndTag(name: string): void {
    this.#hidden.end(name);
  }
}

export interface RefreshingPage {
  html: string;
  url: string;
  headers: Record<string, string>;
  charset: string | null;
}

/** Whether it is worth looking for a refresh. */
export const mayLeadElsewhere = ({ html, headers }: Pick<RefreshingPage, 'html' | 'headers'>): boolean =>
  headers['refresh'] !== undefined || mayRefresh.test(html);

/** Where a page leads by itself. */
export default function findPageRefresh({ html, url, headers, charset }: RefreshingPage) {
  const reader = new RefreshReader(url, headers, charset);
  scanHtml(html, {
    onStartTag: (name, attributes) => reader.onStartTag(name, attributes),
    onText: () => undefined,
    onEndTag: (name) => reader.onEndTag(name),
  });
  const { target, hasScripts } = reader;
  return { target, hasScripts };
}
