import { EventEmitter } from 'node:events';
import type { HTTPRequest, Page } from 'puppeteer-core';
import { expect, test } from 'vitest';
import { collectGarbage } from '../../src/shared/garbage.ts';
import { Traffic } from '../../src/workers/page/load/traffic.ts';

const frame = {};

function createRequest(kind: 'document' | 'image', chain: HTTPRequest[] = []): HTTPRequest {
  return {
    id: kind,
    url: () => `http://example.com/${kind}`,
    method: () => 'GET',
    frame: () => frame,
    isNavigationRequest: () => kind === 'document',
    redirectChain: () => chain,
    resourceType: () => kind,
  } as unknown as HTTPRequest;
}

test('what a page asked for on its way elsewhere is forgotten once it is answered, or led on', async () => {
  const page = Object.assign(new EventEmitter(), { mainFrame: () => frame });
  using traffic = new Traffic(page as unknown as Page);
  page.emit('request', createRequest('document'));
  expect(traffic.isLeaving).toBe(true);

  function ask(): WeakRef<HTTPRequest>[] {
    const [answered, moved] = [createRequest('image'), createRequest('image')];
    page.emit('request', answered);
    page.emit('requestfinished', answered);
    page.emit('request', moved);
    const arrived = createRequest('image', [moved]);
    page.emit('request', arrived);
    page.emit('requestfailed', arrived);
    return [answered, moved, arrived].map((request) => new WeakRef(request));
  }
  const asked = ask();
  expect(traffic.inFlight).toBe(1);
  await expect
    .poll(() => {
      collectGarbage({ type: 'major', flavor: 'last-resort' });
      return asked.filter((request) => request.deref() !== undefined).length;
    })
    .toBe(0);
  traffic.commit('document', false);
  expect(traffic.isLeaving).toBe(false);
});
