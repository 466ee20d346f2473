import type { Frame, Page } from 'puppeteer-core';

import type { Warning } from '../../../shared/schemas/job.ts';
import { orAfter } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';
import type { LoadedPage } from '../load/load.ts';
import { refuseConsent } from './autoconsent.ts';
import { liftVeils } from './veils.ts';

/** Of a frame that does not answer; others do in milliseconds. */
const answerWithinMs = 2_000;
/** A dialog in a frame asks its page to take the frame away. */
const leaveMs = 300;
/** A banner that has its answer may fade or slide away. */
const fadeMs = 1_000;
/** A page asks for itself again as soon as it is answered. */
const reloadMs = 50;
/** Consent platforms use one or two; advertisers fill pages with them. */
const maxFrames = 12;
/** Cookies in languages that do not call them so. */
const wordsElsewhere =
  'クッキー|쿠키|คุกกี้|ملفات تعريف الارتباط|' +
  '(?<!\\p{L})(?:куки|evästei|evästee|informasjonskapsl|slapuk|sīkdat|küpsis|kolačić|sütik)';

/**
 * Refuses a cookie banner by the rules of DuckDuckGo's autoconsent, in frames too; what cannot be refused is hidden.
 * A page that says nothing of cookies costs one question a frame. Never fails: a page is also shown with its banner.
 */
export async function dismissCookieBanner(
  page: Page,
  { sinceTold }: Pick<LoadedPage, 'sinceTold'>,
): Promise<Warning[]> {
  try {
    const frames = await findConsentFrames(page);
    if (frames.length === 0) return [];
    const before = sinceTold();
    const world = isolatedWorldOf(page);
    await orAfter(world.evaluate(keepDialogs, wordsElsewhere), answerWithinMs, undefined);
    const refusal = await refuseConsent(frames);
    const warnings: Warning[] = [];
    let scope: 'all' | 'kept' | null = 'all';
    if (refusal.kind === 'refused') {
      const message = `The cookie banner was answered with a refusal (${refusal.cmp}).`;
      warnings.push({ code: 'cookie_banner_refused', message });
      const isOfPage = refusal.frame === page.mainFrame();
      // A page that would load itself again to be without its banner keeps it: it may not. One that was held before does not tell.
      const keepsIt = isOfPage && before === 'stayed' && (await isHeld(sinceTold));
      if (!isOfPage) await waitUntilGone(async () => refusal.frame.detached, leaveMs);
      else if (!keepsIt) {
        // Its buttons may do nothing, or not yet. A page that has gone meanwhile has another.
        const areGone = () => orAfter(world.evaluate(areDialogsGone), answerWithinMs, true).catch(() => true);
        scope = (await waitUntilGone(areGone, fadeMs)) ? null : 'kept';
      }
    }
    const hidden =
      scope && (await orAfter(world.evaluate(hideBanners, scope, wordsElsewhere), answerWithinMs, 0));
    // What lay behind the banner may stay without it. A page that loads itself again has nothing of that.
    if (hidden || refusal.kind === 'refused')
      await orAfter(world.evaluate(liftVeils), answerWithinMs, undefined).catch(() => {});
    if (!hidden) return warnings;
    const message =
      refusal.kind === 'refused'
        ? 'The cookie banner stayed after its answer and was hidden.'
        : 'A cookie banner that could not be refused was hidden.';
    return [...warnings, { code: 'cookie_banner_hidden', message }];
  } catch {
    return [];
  }
}

/** The page itself whenever one of its frames speaks of consent: some platforms begin there. */
async function findConsentFrames(page: Page): Promise<Frame[]> {
  const main = page.mainFrame();
  const inner = page.frames().filter((frame) => frame !== main && /^(https?|about):/.test(frame.url()));
  const speaks = (frame: Frame, ask: (words: string) => boolean) =>
    orAfter(
      isolatedWorldOf(frame)
        .evaluate(ask, wordsElsewhere)
        .catch(() => false),
      answerWithinMs,
      false,
    );
  const [mainSpeaks, ...innerSpeak] = await Promise.all([
    speaks(main, mentionsConsent),
    ...inner.slice(0, maxFrames).map((frame) => speaks(frame, asksConsent)),
  ]);
  const asking = inner.filter((_, index) => innerSpeak[index] === true);
  return mainSpeaks || asking.length > 0 ? [main, ...asking] : [];
}

/** @returns whether it went. */
async function waitUntilGone(isGone: () => Promise<boolean>, withinMs: number): Promise<boolean> {
  const end = performance.now() + withinMs;
  while (!(await isGone())) {
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return true;
}

async function isHeld(sinceTold: LoadedPage['sinceTold']): Promise<boolean> {
  const end = performance.now() + reloadMs;
  while (sinceTold() === 'stayed' && performance.now() < end)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return sinceTold() === 'held';
}

/** In a frame: a dialog is short, an article about cookies is not. */
function asksConsent(): boolean {
  const text = document.body?.innerText ?? '';
  return text.length < 6_000 && /cookie|consent|gdpr|datenschutz|privacidad|confidentialit/i.test(text);
}

function mentionsConsent(otherWords: string): boolean {
  const words = ['cookie', 'consent', 'gdpr', 'onetrust', 'didomi', 'privacy-', 'cmp'];
  const marks = words.flatMap((word) => [`[id*="${word}" i]`, `[class*="${word}" i]`]).join(',');
  if (document.querySelector(`${marks},iframe[src*="consent"],iframe[src*="cmp"]`)) return true;
  const speaks = new RegExp(`cookie|consent|datenschutz|privacidad|confidentialit|${otherWords}`, 'iu');
  // A recipe for cookies is no banner: what speaks of them must lie above the page.
  const layers = Array.from(
    document.querySelectorAll<HTMLElement>('body > *, body > * > *, dialog[open], [role="dialog"]'),
  );
  for (const { shadowRoot } of document.querySelectorAll('*'))
    if (shadowRoot !== null)
      layers.push(...shadowRoot.querySelectorAll<HTMLElement>('div,section,aside,dialog,form'));
  return layers.some((element) => {
    return (
      speaks.test(element.textContent ?? '') && /^(fixed|sticky)$/.test(getComputedStyle(element).position)
    );
  });
}

interface World {
  dialogs?: HTMLElement[];
}

/**
 * Layers above the page that speak of cookies and can be answered, unlike a bar of links with one to a policy, or a form
 * to sign in.
 */
function keepDialogs(otherWords: string): void {
  const words = `cookie|consent|gdpr|datenschutz|privacidad|confidentialit|informativa|${otherWords}`;
  const speaks = new RegExp(words, 'iu');
  const layers = document.querySelectorAll<HTMLElement>('div,section,aside,dialog,form');
  (globalThis as World).dialogs = Array.from(layers).filter((element) => {
    const isLayer =
      /^(fixed|sticky)$/.test(getComputedStyle(element).position) ||
      (element as HTMLDialogElement).open === true;
    const others = 'nav,[role="navigation"],input[type="password"],input[type="email"]';
    if (!isLayer || element.querySelector(others) !== null) return false;
    const text = element.innerText;
    const buttons = 'button,[role="button"],input[type="button"],input[type="submit"]';
    return text.length < 6_000 && speaks.test(text) && element.querySelector(buttons) !== null;
  });
}

/** Also those of a page that has loaded itself again since. */
function areDialogsGone(): boolean {
  const { dialogs = [] } = globalThis as World;
  return !dialogs.some((dialog) =>
    dialog.checkVisibility({ opacityProperty: true, visibilityProperty: true }),
  );
}

/** Layers above the page that speak of cookies, or those of them that were kept. @returns how many were hidden. */
function hideBanners(scope: 'all' | 'kept', otherWords: string): number {
  const words = 'cookies?|consent|gdpr|tracking technologies|datenschutz|vie privée|privacidad|informativa';
  const speaks = new RegExp(`\\b(${words})\\b`, 'i');
  // Some of these are sweets, or a name, elsewhere: what has them is a banner where it can be answered.
  const speaksElsewhere = new RegExp(otherWords, 'iu');
  const buttons = 'button,[role="button"],input[type="button"],input[type="submit"]';
  const hide = (element: HTMLElement): void => element.style.setProperty('display', 'none', 'important');
  const roots: (Document | ShadowRoot)[] = [document];
  for (const root of roots)
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot !== null) roots.push(shadowRoot);
  const boxes = 'div,section,aside,dialog,form,iframe,footer,span';
  const elements = roots.flatMap((root) => Array.from(root.querySelectorAll<HTMLElement>(boxes)));
  const layers = elements.filter((element) => {
    const { position, display } = getComputedStyle(element);
    const isLayer = /^(fixed|sticky)$/.test(position) || (element as HTMLDialogElement).open === true;
    return isLayer && display !== 'none';
  });
  const textOf = (element: HTMLElement): string => {
    const frames = element instanceof HTMLIFrameElement ? [element] : element.querySelectorAll('iframe');
    const names = Array.from(frames, (frame) => `${frame.title} ${frame.src.replaceAll(/[^a-z]+/gi, ' ')}`);
    return [element instanceof HTMLIFrameElement ? '' : element.innerText, ...names].join(' ').trim();
  };
  const { dialogs = [] } = globalThis as World;
  const banners = layers.filter((element) => {
    if (scope === 'kept') return dialogs.includes(element);
    // Whoever signs in is told of cookies, too.
    const passwords = Array.from(element.querySelectorAll('input[type="password"]'));
    if (passwords.some((field) => field.checkVisibility())) return false;
    const text = textOf(element);
    if (text.length >= 6_000) return false;
    if (speaks.test(text)) return true;
    const isBar = element.querySelector('nav,[role="navigation"]') !== null;
    return !isBar && speaksElsewhere.test(text) && element.querySelector(buttons) !== null;
  });
  if (banners.length === 0) return 0;
  banners.forEach(hide);
  for (const root of [document.documentElement, document.body]) {
    root.style.setProperty('overflow', 'visible', 'important');
    // Some hold the page where it is by taking it out of the flow.
    if (getComputedStyle(root).position === 'fixed')
      root.style.setProperty('position', 'static', 'important');
    root.style.setProperty('filter', 'none', 'important');
  }
  return banners.length;
}
