import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import type { Page } from 'puppeteer-core';

import { orAfter } from '../browser/deadline.ts';
import type { Warning } from './load.ts';

/** A consent dialog that is known is found in this time, and answered in that. */
const findMs = 700;
const answerMs = 5_000;

/** What the content script of autoconsent tells (its `lib/messages.ts`), as far as it is read here. */
interface Message {
  type: string;
  id?: string;
  code?: string;
  cmp?: string;
  result?: boolean;
  state?: { lifecycle: string };
}

type Outcome = { kind: 'refused'; cmp: string } | { kind: 'nothing' | 'failed' };

const config = {
  enabled: true,
  autoAction: 'optOut',
  disabledCmps: [],
  enablePrehide: false,
  enableCosmeticRules: true,
  enableGeneratedRules: true,
  detectRetries: 8,
  isMainWorld: true,
  prehideTimeout: 2_000,
  enableHeuristicDetection: true,
  heuristicMode: 'reject',
  enablePopupMutationObserver: false,
  visualTest: false,
  performanceLoggingEnabled: false,
  heuristicPopupSearchTimeout: 100,
  logs: {},
};

/**
 * Refuses a cookie banner by the rules of DuckDuckGo's autoconsent; what cannot be refused is hidden. A page
 * that says nothing of cookies costs one question. Never fails: a page is also shown with its banner.
 */
export async function dismissCookieBanner(page: Page): Promise<Warning[]> {
  try {
    if (!(await orAfter(page.evaluate(mentionsConsent), findMs, false))) return [];
    const outcome = await refuse(page);
    if (outcome.kind === 'refused') {
      const message = `The cookie banner was answered with a refusal (${outcome.cmp}).`;
      return [{ code: 'cookie_banner_refused', message }];
    }
    const hidden = await orAfter(page.evaluate(hideBanners), findMs, 0);
    if (hidden === 0) return [];
    return [
      { code: 'cookie_banner_hidden', message: 'A cookie banner that could not be refused was hidden.' },
    ];
  } catch {
    return [];
  }
}

async function refuse(page: Page): Promise<Outcome> {
  const { script, rules } = await loadAutoconsent();
  const ended = Promise.withResolvers<Outcome>();
  let isFound = false;
  const reply = (message: object): void => {
    page.evaluate(receiveInPage, message).catch(() => ended.resolve({ kind: 'failed' }));
  };
  await page.exposeFunction('autoconsentSendMessage', (message: Message) => {
    if (message.type === 'init') reply({ type: 'initResp', config, rules });
    if (message.type === 'eval') {
      const answer = (result: unknown): void => reply({ type: 'evalResp', id: message.id, result });
      page.evaluate(message.code ?? '').then(answer, () => answer(false));
    }
    if (message.type === 'cmpDetected') isFound = true;
    if (message.type === 'optOutResult' && !message.result) ended.resolve({ kind: 'failed' });
    if (message.type === 'autoconsentError') ended.resolve({ kind: 'failed' });
    if (message.type === 'autoconsentDone')
      ended.resolve({ kind: 'refused', cmp: message.cmp ?? 'by its wording' });
    if (message.type === 'report' && message.state?.lifecycle === 'nothingDetected')
      ended.resolve({ kind: 'nothing' });
  });
  await page.evaluate(script);
  const early = await orAfter(ended.promise, findMs, null);
  if (early) return early;
  return isFound ? await orAfter(ended.promise, answerMs, { kind: 'failed' }) : { kind: 'nothing' };
}

let autoconsent: Promise<{ script: string; rules: object }> | undefined;

/** The package exports its rules but not its script for drivers, which its docs name for this use. */
function loadAutoconsent(): Promise<{ script: string; rules: object }> {
  autoconsent ??= (async () => {
    const { resolve } = createRequire(import.meta.url);
    const [script, compact] = await Promise.all([
      readFile(join(dirname(resolve('@duckduckgo/autoconsent')), 'autoconsent.playwright.js'), 'utf8'),
      readFile(resolve('@duckduckgo/autoconsent/rules/compact-rules.json'), 'utf8'),
    ]);
    return { script, rules: { autoconsent: [], compact: JSON.parse(compact) as object } };
  })();
  return autoconsent;
}

function receiveInPage(message: object): void {
  const { autoconsentReceiveMessage } = globalThis as {
    autoconsentReceiveMessage?: (message: object) => void;
  };
  autoconsentReceiveMessage?.(message);
}

function mentionsConsent(): boolean {
  const words = ['cookie', 'consent', 'gdpr', 'onetrust', 'didomi', 'privacy-', 'cmp'];
  const marks = words.flatMap((word) => [`[id*="${word}" i]`, `[class*="${word}" i]`]).join(',');
  if (document.querySelector(`${marks},iframe[src*="consent"],iframe[src*="cmp"]`)) return true;
  const speaks = /cookie|consent|datenschutz|privacidad|confidentialit/i;
  // A recipe for cookies is no banner: what speaks of them must lie above the page.
  const layers = document.querySelectorAll<HTMLElement>(
    'body > *, body > * > *, dialog[open], [role="dialog"]',
  );
  return [...layers].some((element) => {
    return (
      speaks.test(element.textContent ?? '') && /^(fixed|sticky)$/.test(getComputedStyle(element).position)
    );
  });
}

/** Layers above the page that speak of cookies. @returns how many were hidden. */
function hideBanners(): number {
  const speaks =
    /\b(cookies?|consent|gdpr|tracking technologies|datenschutz|vie privée|privacidad|informativa)\b/i;
  const viewport = window.innerWidth * window.innerHeight;
  let hidden = 0;
  for (const element of document.querySelectorAll<HTMLElement>(
    'div,section,aside,dialog,form,iframe,footer',
  )) {
    const style = getComputedStyle(element);
    const isLayer = /^(fixed|sticky)$/.test(style.position) || (element as HTMLDialogElement).open === true;
    if (!isLayer || style.display === 'none') continue;
    const text =
      element instanceof HTMLIFrameElement
        ? `${element.title} ${element.src.replaceAll(/[^a-z]+/gi, ' ')}`
        : element.innerText;
    const box = element.getBoundingClientRect();
    const isBanner = text.length < 6_000 && speaks.test(text);
    const isEmptyVeil = text.trim() === '' && box.width * box.height > 0.9 * viewport && hidden > 0;
    if (!isBanner && !isEmptyVeil) continue;
    element.style.setProperty('display', 'none', 'important');
    hidden++;
  }
  if (hidden > 0) {
    for (const root of [document.documentElement, document.body])
      root.style.setProperty('overflow', 'visible', 'important');
  }
  return hidden;
}
