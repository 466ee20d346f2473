import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

import type { Frame } from 'puppeteer-core';

import { orAfter } from '../../browser/deadline.ts';
import { isolatedWorldOf } from '../../browser/isolated-world.ts';

/** The rules are in all frames by then, however busy the browser is. */
const startMs = 4_000;
/** From then on, a consent dialog that is known is found in this time, and answered in that. */
const findMs = 1_500;
const answerMs = 5_000;
/** Of one frame. A dialog takes some twenty. */
const maxMessages = 200;

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
  isMainWorld: false,
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
export async function refuseConsent(frames: readonly Frame[]): Promise<Refusal> {
  const { script, rules } = await loadAutoconsent();
  const refused = Promise.withResolvers<Refusal>();
  /** Frames that look for a dialog in them, by what they have found. */
  const answering = new Map<Frame, string>();
  let isFound = false;
  let hasFailed = false;
  const pending = new Set(frames);
  const starting = new Map(frames.map((frame) => [frame, Promise.withResolvers<void>()]));
  const giveUp = (frame: Frame, failed: boolean): void => {
    pending.delete(frame);
    starting.get(frame)?.resolve();
    hasFailed ||= failed;
    if (pending.size === 0) refused.resolve({ kind: hasFailed ? 'failed' : 'nothing' });
  };
  const hear = (frame: Frame, message: Message): void => {
    const world = isolatedWorldOf(frame);
    const reply = async (answer: object): Promise<void> => {
      await world.evaluate(receiveInFrame, answer).catch(() => lose(frame));
    };
    if (message.type === 'init') {
      void reply({ type: 'initResp', config, rules }).then(() => starting.get(frame)?.resolve());
    }
    if (message.type === 'eval') {
      const answer = (result: boolean): void => void reply({ type: 'evalResp', id: message.id, result });
      // The rules' own questions to the page's scripts. Whatever those make of it, a boolean comes back.
      frame.evaluate(`!!(${message.code})`).then(
        (result) => answer(result === true),
        () => answer(false),
      );
    }
    if (message.type === 'init') answering.set(frame, 'by its wording');
    if (message.type === 'cmpDetected') {
      isFound = true;
      answering.set(frame, message.cmp ?? 'by its wording');
    }
    if (message.type === 'optOutResult' && !message.result) giveUp(frame, true);
    if (message.type === 'autoconsentError') giveUp(frame, true);
    if (message.type === 'autoconsentDone')
      refused.resolve({ kind: 'refused', cmp: message.cmp ?? 'by its wording', frame });
    if (message.type === 'report' && message.state?.lifecycle === 'nothingDetected') giveUp(frame, false);
  };
  const lose = (frame: Frame): void => {
    // A dialog that has its answer is taken away at once, often before its frame could say that it is done.
    const cmp = answering.get(frame);
    if (cmp !== undefined && frame.detached) refused.resolve({ kind: 'refused', cmp, frame });
    else giveUp(frame, false);
  };
  for (const frame of frames) listen(frame, script, hear).catch(() => lose(frame));
  const started = Promise.all([...starting.values()].map(({ promise }) => promise));
  await orAfter(Promise.race([refused.promise, started]), startMs, null);
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

/** Runs the script in the frame's isolated world, and asks for what it says until the frame is gone. */
async function listen(
  frame: Frame,
  script: string,
  hear: (frame: Frame, message: Message) => void,
): Promise<void> {
  const world = isolatedWorldOf(frame);
  await world.evaluate(connectInFrame);
  await world.evaluate(script);
  for (let heard = 0; heard < maxMessages;) {
    const messages = await world.evaluate(takeMessagesInFrame);
    heard += messages.length;
    for (const message of messages) hear(frame, message);
  }
}

interface Mailbox {
  autoconsentSendMessage(message: Message): void;
  autoconsentReceiveMessage?(message: object): void;
  /** Waits for the first. */
  takeMessages(): Promise<Message[]>;
}

function connectInFrame(): void {
  const sent: Message[] = [];
  let onMessage = (): void => {};
  const mailbox: Mailbox = {
    autoconsentSendMessage(message) {
      sent.push(message);
      onMessage();
    },
    async takeMessages() {
      if (sent.length === 0) await new Promise<void>((resolve) => (onMessage = resolve));
      return sent.splice(0);
    },
  };
  Object.assign(globalThis, mailbox);
}

function takeMessagesInFrame(): Promise<Message[]> {
  return (globalThis as unknown as Mailbox).takeMessages();
}

function receiveInFrame(message: object): void {
  (globalThis as unknown as Mailbox).autoconsentReceiveMessage?.(message);
}
