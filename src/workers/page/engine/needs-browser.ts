import { findOwnScripts } from './own-scripts.ts';
import { isOfSite } from './frames.ts';
import { hasProseUnshown, hasUnshownData } from '../html/page-data.ts';
import { PlaceTexts } from './place-texts.ts';
import { type PageScan, scanPage } from './scan-page.ts';
import { readScriptEffects } from './script-effects.ts';

/** A page with this much text of its own is read as it is, unless something else tells that it is not whole. */
const enoughText = 600;
/** With this much, it asks for scripts for a part of it at most. */
const plentyOfText = 4_000;
/** An article's worth: what is empty or turns then may as well stand beside it. */
const plentyOfContent = 1_500;
/** Asked for a part beside the content. */
const beside = /comment|disqus|accessib|better experience|captcha|e-?mail|form|map|video|player|chat/i;
const needsScriptText =
  /(enable|requires?|turn on|activate)\W+(\w+\W+){0,3}java\s?script|java\s?script\W+(\w+\W+){0,3}(required|disabled|enabled)/i;

/** Without one of these it has no program, no refresh and no page within it: nothing that only a browser brings. */
const mayNeedBrowser = /<script|onload|http-equiv|<i?frame|<object/i;

/** Of what an element is given; where it is less, that is settings and labels. */
const leastProse = 1 / 3;

const unknownAddress = 'http://unknown.invalid/';

/** A page as it came, and what is known of it. */
export interface JudgedPage {
  html: string;
  headers?: Record<string, string>;
  /** Where it came from. */
  url?: string;
  /** Texts of its own scripts, where they were fetched. */
  scripts?: readonly string[];
}

export interface Judgement {
  /** What tells that it needs a browser; null where nothing does. */
  need: string | null;
  /** Addresses of scripts whose texts would tell more; none where the need is known. */
  scripts: string[];
}

/**
 * Decides whether scripts make a page's content: by the marks of what they are to fill, and by what its own scripts do when
 * they run. A wrong no costs content, a wrong yes only time: doubt goes to the browser.
 */
export function judgePage({ html, headers = {}, url, scripts = [] }: JudgedPage): Judgement {
  const address = url ?? unknownAddress;
  if (!mayNeedBrowser.test(html) && headers['refresh'] === undefined) return { need: null, scripts: [] };
  const page = scanPage(html, { url: address, headers, charset: null });
  const need = findMark(page, address) ?? findEffect(page, html, scripts);
  const isOpen = need === null && page.programs > 0 && url !== undefined;
  return { need, scripts: isOpen ? findOwnScripts(page, url) : [] };
}

function findMark(page: PageScan, url: string): string | null {
  if (page.head.refresh !== null) return 'a refresh';
  if (page.hasRefresh && page.textLength < enoughText) return 'a refresh of a short page';
  const isInFrames =
    page.textLength < enoughText && page.frames.some((source) => isOfSite(source, page.head.base, url));
  if (page.isFrameset || isInFrames) return 'a page in frames';
  if (page.programs === 0) return null;
  if (page.textLength < enoughText) return 'little text';
  if (page.mark !== null) return page.mark;
  if (page.guess !== null && page.contentLength < plentyOfContent) return page.guess;
  if (page.textLength > plentyOfText) return null;
  const isAsked = needsScriptText.test(page.noscriptText) && !beside.test(page.noscriptText);
  return isAsked ? 'a plea for JavaScript' : null;
}

function findEffect(page: PageScan, html: string, ownScripts: readonly string[]): string | null {
  if (page.programs === 0) return null;
  const scriptText = page.inlineScripts.join('\n');
  if (hasUnshownData(`${scriptText}\n${page.jsonText}`, page.shownText)) return 'data that is not shown';
  if (hasProseUnshown(page.heldText, page.shownText)) return 'text that is held back';
  if (page.props.some((text) => hasProseUnshown(text, page.shownText, leastProse)))
    return 'data that is not shown';
  const effects = readScriptEffects([...ownScripts, ...page.inlineScripts]);
  if (effects.leaves) return 'a redirect by script';
  const isSparse = page.contentLength < plentyOfContent;
  return new PlaceTexts(html).wouldChange(effects, isSparse) ? 'content by script' : null;
}
