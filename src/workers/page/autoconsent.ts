import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import type { Frame, Page } from 'puppeteer-core';

import { orAfter } from '../browser/deadline.ts';

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

export type Refusal = { kind: 'refused'; cmp: string; frame: Frame } | { kind: 'nothing' | 'failed' };

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

/** Answers the consent dialog that is found in one of the frames with a refusal, by autoconsent's rules. */
export async function refuseConsent(page: Page, frames: readonly Frame[]): Promise<Refusal> {
  const { script, rules } = await loadAutoconsent();
  const refused = Promise.withResolvers<Refusal>();
  let isFound = false;
  let hasFailed = false;
  const pending = new Set(frames);
  const giveUp = (frame: Frame, failed: boolean): void => {
    pending.delete(frame);
    hasFailed ||= failed;
    if (pending.size === 0) refused.resolve({ kind: hasFailed ? 'failed' : 'nothing' });
  };
  // A frame proves by its token which one it is: it may have code run in itself, and in no other.
  const byToken = new Map(frames.map((frame) => [randomUUID() as string, frame]));
  const hear = (frame: Frame, message: Message): void => {
    const reply = (answer: object): void => {
      frame.evaluate(receiveInPage, answer).catch(() => giveUp(frame, false));
    };
    if (message.type === 'init') reply({ type: 'initResp', config, rules });
    if (message.type === 'eval') {
      const answer = (result: unknown): void => reply({ type: 'evalResp', id: message.id, result });
      frame.evaluate(String(message.code ?? '')).then(answer, () => answer(false));
    }
    if (message.type === 'cmpDetected') isFound = true;
    if (message.type === 'optOutResult' && !message.result) giveUp(frame, true);
    if (message.type === 'autoconsentError') giveUp(frame, true);
    if (message.type === 'autoconsentDone')
      refused.resolve({ kind: 'refused', cmp: message.cmp ?? 'by its wording', frame });
    if (message.type === 'report' && message.state?.lifecycle === 'nothingDetected') giveUp(frame, false);
  };
  const binding = `consent${randomUUID().replaceAll('-', '')}`;
  await page.exposeFunction(binding, (token: string, message: Message) => {
    const frame = byToken.get(token);
    if (frame !== undefined) hear(frame, message);
  });
  for (const [token, frame] of byToken) {
    const begin = frame.evaluate(connectInPage, binding, token).then(() => frame.evaluate(script));
    begin.catch(() => giveUp(frame, false));
  }
  const early = await orAfter(refused.promise, findMs, null);
  if (early) return early;
  return isFound ? await orAfter(refused.promise, answerMs, { kind: 'failed' }) : { kind: 'nothing' };
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
  // A failure is not kept: the next page may find the files readable.
  autoconsent.catch(() => (autoconsent = undefined));
  return autoconsent;
}

function connectInPage(binding: string, token: string): void {
  const send = Reflect.get(globalThis, binding) as (token: string, message: object) => void;
  Object.assign(globalThis, { autoconsentSendMessage: (message: object) => send(token, message) });
}

function receiveInPage(message: object): void {
  const { autoconsentReceiveMessage } = globalThis as {
    autoconsentReceiveMessage?: (message: object) => void;
  };
  autoconsentReceiveMessage?.(message);
}
