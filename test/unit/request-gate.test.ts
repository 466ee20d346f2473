import { EventEmitter } from 'node:events';
import type { Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { RequestGate } from '../../src/workers/page/load/request-gate.ts';
import type { Traffic } from '../../src/workers/page/load/traffic.ts';

/** A browser in which a document takes the page's place while it is told to stop loading, or after. */
async function lockWhile(when: 'before the answer' | 'after it' | 'never') {
  const session = new EventEmitter();
  const go = () => session.emit('Page.frameNavigated', { frame: { id: 'main', loaderId: 'next' } });
  const send = async (method: string) => {
    if (method === 'Page.getFrameTree') return { frameTree: { frame: { id: 'main' } } };
    if (method === 'Page.stopLoading' && when === 'before the answer') go();
    return {};
  };
  const page = { createCDPSession: async () => Object.assign(session, { send }) };
  const traffic = { isLeaving: true, commit: () => undefined, documents: [] };
  const lease = { turnsAway: () => false, admit: () => true, drop: () => undefined, isSpent: false };
  const gate = await RequestGate.close(page as unknown as Page, traffic as unknown as Traffic, lease);
  const hasGone = await gate.lock();
  if (when === 'after it') go();
  return [hasGone, gate.sinceLock];
}

test.each([
  ['before the answer', [true, 'stayed']],
  ['after it', [false, 'left']],
  ['never', [false, 'stayed']],
] as const)('a page that goes %s', async (when, told) => {
  expect(await lockWhile(when)).toEqual(told);
});
