import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { errorKinds } from '../../src/shared/errors.ts';
import { type Chromium, createChromium } from '../../src/workers/browser/chromium.ts';
import { testDataFolder } from '../support/browser.ts';
import { call } from '../support/client.ts';

const read = (path: string) => call<string>(path, { key: null });

describe('the pages', () => {
  test.each(['/docs', '/docs/errors'])(
    '%s names nothing of another origin, and its policy allows none',
    async (path) => {
      const { status, headers, body } = await read(path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      const loaded = [
        ...body.matchAll(/(?:src|href)="([^"]+)"[^>]*(?:defer|rel=)|rel="[^"]+" href="([^"]+)"/g),
      ];
      for (const [, script, link = script] of loaded) {
        if (link === 'data:,') continue;
        expect(link).toMatch(/^\/docs\/assets\//);
        expect((await read(link ?? '')).status, link).toBe(200);
      }
    },
  );

  test('every error code has its place, where the type of a problem leads', async () => {
    const { body } = await read('/docs/errors');
    for (const code of Object.keys(errorKinds)) expect(body).toContain(`<section id="${code}">`);
    const { body: problem } = await call('/nothing');
    const [path = '', id] = String(problem['type']).split('#');
    expect((await read(path)).body).toContain(`<section id="${id}">`);
  });

  test('a client that has a page is told so', async () => {
    const etag = (await read('/docs')).headers.get('etag') ?? '';
    expect((await call('/docs', { key: null, headers: { 'If-None-Match': etag } })).status).toBe(304);
  });
});

describe('in a browser', () => {
  let chromium: Chromium;
  beforeAll(() => {
    chromium = createChromium({ dataFolder: testDataFolder });
  });
  afterAll(() => chromium[Symbol.asyncDispose]());

  test('a call is tried with a key, and nothing breaks the policy of the page', async () => {
    const { url, key } = inject('stack');
    await using door = createEgressDoor({ allow: [new URL(url).host] });
    await using lease = door.openLease();
    const complaints: string[] = [];
    await chromium.withPage({ lease }, async (page) => {
      page.on('console', (message) => {
        if (message.type() === 'error') complaints.push(message.text());
      });
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`${url}/docs#/web/web.profile`, { waitUntil: 'domcontentloaded' });
      page.setDefaultTimeout(60_000);
      // By the element's own click: one by place waits for the page to stand still.
      const click = async (selector: string) =>
        await (await page.waitForSelector(selector))?.evaluate((element) => (element as HTMLElement).click());
      await click('.auth-wrapper .authorize');
      await (await page.waitForSelector('.auth-container input'))?.type(key);
      await click('.auth-btn-wrapper .authorize');
      await click('.auth-btn-wrapper .btn-done');
      await click('.execute');
      const status = await page.waitForSelector('.live-responses-table tbody .response-col_status');
      expect(await status?.evaluate((cell) => cell.textContent)).toContain('200');
    });
    expect(complaints).toEqual([]);
    const { host } = new URL(url);
    expect(lease.outcomes.filter((it) => `${it.host}:${it.port}` !== host)).toEqual([]);
  }, 120_000);
});
