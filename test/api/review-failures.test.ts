import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { commandLine } from '../../src/embedded/processes.ts';
import { readProcessTree } from '../../src/shared/processes/process-tree.ts';
import { call } from '../support/client.ts';
import { pidOf } from '../support/processes.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
/** A page whose renderer is ended from outside whenever it is loaded in a browser, as a machine out of memory does. */
let crashing: { url: string; loads: () => number; server: Server };

const processesOf = () => readProcessTree(pidOf(inject('stack'), 'worker-browser'));
/** Of the one review that runs: Lighthouse's own process leads a group with everything that it has started. */
function reviewProcesses() {
  const lighthouse = processesOf().find(({ pid }) => commandLine(pid).includes('review/lighthouse/main.ts'));
  return lighthouse === undefined ? [] : readProcessTree(lighthouse.pid);
}

async function startCrashingSite(): Promise<typeof crashing> {
  let loads = 0;
  const server = createServer(({ url }, response) => {
    if (url !== '/script.js') {
      const page = '<!doctype html><title>Crashes</title><h1>A page</h1><script src="/script.js"></script>';
      response.writeHead(200, { 'content-type': 'text/html' }).end(page);
      return;
    }
    loads++;
    for (const { pid, isRenderer } of reviewProcesses()) if (isRenderer) process.kill(pid, 'SIGKILL');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, loads: () => loads, server };
}

const greedyScript = `<script>
  const kept = [];
  setInterval(() => kept.push(new Uint8Array(128 * 1024 * 1024).fill(kept.length + 1)), 5);
</script>`;

beforeAll(async () => {
  [site, crashing] = await Promise.all([startSite(), startCrashingSite()]);
});
afterAll(async () => {
  crashing.server.closeAllConnections();
  crashing.server.close();
  await site.close();
});

const review = (url: string, timeout = 2_000) =>
  call('/api/proxy/web/v1/review', { body: { url, timeout, categories: ['content'] } });

/** The next review is as right as one on a fresh start, and nothing of the lost one is left beside it. */
async function expectNextIsRight(): Promise<void> {
  const { body } = await review(`${site.origin}/article`, 20_000);
  expect(body['data']).toMatchObject({ status: 'succeeded', finalUrl: `${site.origin}/article` });
  expect(body['data'].scores.content).toBeGreaterThan(50);
  expect(reviewProcesses()).toEqual([]);
}

// A lost page is measured twice, and the next review too: minutes, on a machine that does something else beside it.
describe(
  'a review ends in time with a fitting error, and the next one is right, after a page',
  { timeout: 240_000 },
  () => {
    test.each([
      ['/wall/anubis', 'anubis'],
      ['/wall/imperva', 'imperva'],
      ['/wall/cloudflare', 'cloudflare'],
    ])('that is a bot challenge: %s', async (path, vendor) => {
      const { body } = await review(`${site.origin}${path}`, 20_000);
      expect(body).toMatchObject({ status: 502, code: 'target_blocked' });
      expect(body['detail']).toContain(`(${vendor})`);
    });

    test.each([
      ['/wall/question', 'Blocked by Cloudflare?'],
      ['/wall/customer', 'Shop'],
    ])('that only speaks of bot challenges, or stands behind their vendors: %s', async (path, title) => {
      const { body } = await review(`${site.origin}${path}`, 20_000);
      expect(body['data']).toMatchObject({ status: 'succeeded', title });
    });

    test('whose renderer crashes, each time', async () => {
      const { body } = await review(crashing.url);
      expect(body).toMatchObject({ status: 502, code: 'page_crashed' });
      // A crash may be chance: it is measured once more.
      expect(crashing.loads()).toBe(2);
      await expectNextIsRight();
    });

    test('that eats memory', async () => {
      site.serve('/greedy', `<title>Greedy</title><h1>A page</h1>${greedyScript}`);
      const { body } = await review(`${site.origin}/greedy`, 60_000);
      expect(body).toMatchObject({ status: 502, code: 'page_crashed' });
      await expectNextIsRight();
    });

    test('whose script runs for ever', async () => {
      const { body } = await review(`${site.origin}/endless-script`);
      expect(body).toMatchObject({ status: 504, code: 'page_unresponsive' });
      await expectNextIsRight();
    });
  },
);
