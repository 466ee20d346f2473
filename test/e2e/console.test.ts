import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { recordAudit } from '../../src/shared/db/audit-log.ts';
import { createDb } from '../../src/shared/db/client.ts';
import { call, scrapePath } from '../support/client.ts';
import { type ConsoleBrowser, type ConsolePage, startConsoleBrowser } from '../support/console-browser.ts';
import { environmentOf } from '../support/processes.ts';
import { createSignedIn, type SignedIn } from '../support/session.ts';
import { type Site, startSite } from '../support/site.ts';

const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser: ConsoleBrowser;
let site: Site;
let admin: SignedIn;
beforeAll(async () => {
  [browser, site, admin] = await Promise.all([
    startConsoleBrowser(),
    startSite(),
    createSignedIn({ plan: 'pro', admin: true }),
  ]);
  // A name that nothing breaks, in the lists of keys and in the audit log.
  const body = JSON.stringify({ name: 'Unbreakable'.repeat(9) });
  const headers = { 'Content-Type': 'application/json', Cookie: admin.cookie };
  await fetch(new URL('/api/keys', inject('stack').url), { method: 'POST', headers, body });
});
afterAll(async () => {
  await browser?.[Symbol.asyncDispose]();
  await site?.close();
});

/** A tab in which the user has signed in by the session's cookie. */
async function openSignedIn(user: SignedIn): Promise<ConsolePage> {
  const tab = await browser.open();
  const { url } = inject('stack');
  const [name = '', value = ''] = user.cookie.split('=');
  await tab.page.setCookie({ name, value: decodeURIComponent(value), url, httpOnly: true });
  await tab.page.goto(url);
  return tab;
}

/** Presses Tab until the focus is on what has the name, as people do who use no mouse. */
async function tabTo(tab: ConsolePage, name: string): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    await tab.page.keyboard.press('Tab');
    const names = await tab.page.evaluate(async () => {
      // A question that opens or closes moves the focus a turn later.
      await new Promise((resolve) => setTimeout(resolve, 20));
      const element = document.activeElement;
      const label = element?.getAttribute('aria-label');
      if (label) return [label];
      const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [element];
      return labels.map((it) => it?.textContent);
    });
    if (names.includes(name)) return;
  }
  throw new Error(`The keyboard does not reach ${name}`);
}

test('by the keyboard alone: from the sign-in over a new key to the first answer and its job', async () => {
  const user = await createSignedIn({ plan: 'pro' });
  const tab = await browser.open();
  const { keyboard } = tab.page;
  await tab.page.goto(inject('stack').url);
  await tab.shows('Sign in');
  await tab.page.waitForSelector('input[name=email]:focus');
  await keyboard.type(user.email);
  await keyboard.press('Tab');
  await keyboard.type(user.password);
  await keyboard.press('Enter');

  await tab.shows('From here to the first answer');
  await tabTo(tab, 'Create a key');
  await keyboard.press('Enter');
  await tab.shows('Where it is used');
  await tab.page.waitForSelector('.dialog input:focus');
  await keyboard.type('by keyboard');
  await keyboard.press('Enter');
  await tab.shows(/svc_live_\w{50}/);
  const [secret = ''] = /svc_live_\w{50}/.exec(await tab.text()) ?? [];
  // It stays until it has been kept, though the first job comes meanwhile.
  await call('/api/proxy/web/v1/url/is-alive', { key: secret, body: { url: `${site.origin}/` } });
  await tab.shows(/url-is-alive.*succeeded/);
  expect(await tab.text()).toContain(secret);
  await tabTo(tab, 'Try it in the playground');
  await keyboard.press('Enter');

  await tab.shows('Scrape a page (web.scrape)');
  expect(await tab.text()).not.toContain(secret);
  await tabTo(tab, 'url');
  await keyboard.down('Control');
  await keyboard.press('a');
  await keyboard.up('Control');
  await keyboard.type(`${site.origin}/`);
  await keyboard.press('Enter');
  await tab.shows(/200 in \d+ ms, \d+ requests left/);

  await tab.goTo('#/jobs');
  await tab.shows(/web\.scrape.*succeeded/);
  expect(tab.complaints).toEqual([]);
}, 120_000);

describe('the life of a key', () => {
  test('rotated, revoked and deleted, each after a question', async () => {
    const user = await createSignedIn({ plan: 'pro' });
    const tab = await openSignedIn(user);
    await tab.goTo('#/keys');
    await tab.shows('No keys yet');
    await tab.page.locator('::-p-aria(Create a key)').click();
    await tab.page.locator('::-p-aria([name="Name"])').fill('laptop');
    await tab.page.locator('::-p-aria([name="Scopes optional"])').fill('web.scrape, nonsense');
    await tab.page.locator('::-p-aria([name="Create"][role="button"])').click();
    await tab.shows('There is no nonsense');
    await tab.page.locator('::-p-aria([name="Scopes optional"])').fill('web.scrape, jobs');
    await tab.page.locator('::-p-aria([name="Create"][role="button"])').click();
    await tab.shows(/svc_live_\w{50}/);
    await tab.page.locator('::-p-aria(I have kept it)').click();
    await tab.shows('web.scrape, jobs');
    expect(await tab.page.evaluate(() => sessionStorage.getItem('quarry.key'))).toMatch(/^svc_live_/);

    await tab.page.locator('::-p-aria(Rotate “laptop”)').click();
    await tab.page.locator('::-p-aria([name="Rotate"][role="button"])').click();
    await tab.shows('The key that takes its place');
    await tab.page.locator('::-p-aria(I have kept it)').click();
    await tab.shows('grace');

    await tab.page.locator('::-p-aria(Revoke “laptop”)').click();
    await tab.shows('refused from the next request on');
    await tab.page.locator('::-p-aria([name="Revoke"][role="button"])').click();
    await tab.shows('revoked');

    for (const left of [1, 0]) {
      await tab.page.locator('::-p-aria(Delete “laptop”)').click();
      await tab.page.locator('::-p-aria([name="Delete"][role="button"])').click();
      await tab.page.waitForFunction(
        (count) => document.querySelectorAll('main tbody tr').length === count,
        {},
        left,
      );
    }
    await tab.shows('No keys yet');
    await tab.goTo('#/audit');
    for (const done of ['created', 'rotated', 'revoked', 'deleted']) await tab.shows(`Key ${done}`);
    expect(tab.complaints).toEqual([]);
  });

  test('rotated, revoked and deleted by the keyboard alone', async () => {
    const user = await createSignedIn({ plan: 'pro' });
    const body = JSON.stringify({ name: 'laptop' });
    const headers = { 'Content-Type': 'application/json', Cookie: user.cookie };
    await fetch(new URL('/api/keys', inject('stack').url), { method: 'POST', headers, body });
    const tab = await openSignedIn(user);
    const press = async (name: string) => {
      await tabTo(tab, name);
      await tab.page.keyboard.press('Enter');
    };
    const closed = () => tab.page.waitForFunction(() => !document.querySelector('.dialog'));
    const ask = async (name: string) => {
      await press(name);
      await tab.page.waitForSelector('.dialog:focus-within');
    };
    await tab.goTo('#/keys');
    await tab.shows('laptop');
    await ask('Rotate “laptop”');
    // A question holds the focus until it is answered, and Escape answers no.
    await tab.shows('Rotate “laptop”?');
    await tab.page.keyboard.press('Escape');
    await closed();
    await ask('Rotate “laptop”');
    await press('Rotate');
    await tab.shows('The key that takes its place');
    await tab.page.waitForSelector('.dialog:focus-within');
    await press('I have kept it');
    await closed();
    await tab.shows('grace');
    await ask('Revoke “laptop”');
    await press('Revoke');
    await tab.shows('revoked');
    for (const left of [1, 0]) {
      await closed();
      await ask('Delete “laptop”');
      await press('Delete');
      await tab.page.waitForFunction(
        (count) => document.querySelectorAll('main tbody tr').length === count,
        {},
        left,
      );
      // The row has gone with the button that had the focus.
      await tab.page.waitForSelector('#main:focus');
    }
    await tab.shows('No keys yet');
    expect(tab.complaints).toEqual([]);
  });
});

test('a session that ends under a form asks for the sign-in, and goes on where it was', async () => {
  const user = await createSignedIn({ plan: 'pro' });
  const tab = await openSignedIn(user);
  await tab.goTo('#/keys');
  await tab.page.locator('::-p-aria(Create a key)').click();
  await tab.page.locator('::-p-aria([name="Name"])').fill('late');
  await tab.page.deleteCookie(...(await tab.page.cookies()));
  await tab.page.locator('::-p-aria([name="Create"][role="button"])').click();
  await tab.shows('Your session has ended');
  expect(await tab.page.$('.dialog, [inert]')).toBeNull();
  await tab.page.locator('input[name=email]').fill(user.email);
  await tab.page.locator('input[name=password]').fill(user.password);
  await tab.page.locator('::-p-aria([name="Sign in"][role="button"])').click();
  await tab.shows('No keys yet');

  // The playground ends it too, by a call whose body has no fields.
  await tab.goTo('#/playground/auth.sign-out');
  await tab.shows('auth.sign-out');
  await tab.page.locator('::-p-aria(Send)').click();
  await tab.shows(/200 in \d+ ms/);
});

test('a page whose scripts do not come says so, and comes when they do', async () => {
  const tab = await openSignedIn(admin);
  await tab.shows('Overview');
  await tab.page.setOfflineMode(true);
  await tab.goTo('#/webhooks');
  await tab.shows('This page could not be shown');
  await tab.page.setOfflineMode(false);
  await tab.page.locator('::-p-aria(Try again)').click();
  await tab.shows('Deliveries of the last week');
});

describe('the playground', () => {
  test('draws markdown beside its text, and shows a picture', async () => {
    const tab = await openSignedIn(admin);
    await tab.page.evaluate((key) => sessionStorage.setItem('quarry.key', key), inject('stack').key);
    await tab.goTo('#/playground/web.convert-markdown');
    await tab.page.locator('form input[name=url]').fill(`${site.origin}/article`);
    await tab.page.locator('::-p-aria(Send)').click();
    await tab.page.waitForSelector('.rendered p');

    await tab.goTo('#/playground/web.screenshot');
    await tab.shows('web.screenshot');
    await tab.page.waitForSelector('summary');
    await tab.page.click('summary');
    await tab.page.locator('form input[name=url]').fill(`${site.origin}/`);
    await tab.page.locator('::-p-aria(Send)').click();
    const showsPicture = () =>
      tab.page.waitForFunction(
        () => (document.querySelector<HTMLImageElement>('.pictures img')?.naturalWidth ?? 0) > 0,
      );
    await showsPicture();

    // The picture by its own link, which answers bytes.
    const link = new URL(await tab.page.$eval('.pictures img', (image) => (image as HTMLImageElement).src));
    await tab.goTo('#/playground/system.file');
    await tab.page.waitForSelector('form input[name=signature]');
    const parts = { ...Object.fromEntries(link.searchParams), id: link.pathname.split('/').at(-1) ?? '' };
    for (const [name, value] of Object.entries(parts))
      await tab.page.locator(`form input[name=${name}]`).fill(value);
    await tab.page.locator('::-p-aria(Send)').click();
    await tab.shows(/200 in \d+ ms/);
    await showsPicture();

    // A stream that does not end.
    await tab.goTo('#/playground/system.events');
    await tab.page.locator('form input[name=after]').fill('0');
    await tab.page.locator('::-p-aria(Send)').click();
    await tab.shows(/200 in \d+ ms[^]*succeeded/);
    await tab.page.locator('::-p-aria(Stop waiting)').click();

    expect(tab.complaints).toEqual([]);
  });

  test('forgets a key that was revoked', async () => {
    const user = await createSignedIn({ plan: 'pro' });
    const own = { headers: { Cookie: user.cookie }, key: null };
    const { body: made } = await call('/api/keys', { ...own, body: { name: 'lost' } });
    await call(`/api/keys/${made['id']}/revoke`, { ...own, method: 'POST' });
    const tab = await openSignedIn(user);
    await tab.page.evaluate((key) => sessionStorage.setItem('quarry.key', key), made['key']);
    await tab.goTo('#/playground/web.profile');
    await tab.shows('web.profile');
    await tab.page.locator('::-p-aria(Send)').click();
    await tab.shows('key_revoked');
    await tab.page.waitForFunction(() => sessionStorage.getItem('quarry.key') === null);
  });

  test('has a form for every operation of the reference', async () => {
    const { paths } = (await (await fetch(new URL('/openapi.json', inject('stack').url))).json()) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    const operations = Object.values(paths).flatMap((item) =>
      Object.values(item).map((it) => it.operationId),
    );
    const tab = await openSignedIn(admin);
    await tab.goTo('#/playground');
    await tab.page.waitForSelector('option[value="web.scrape"]');
    const offered = await tab.page.$$eval('optgroup option', (options) => options.map((it) => it.value));
    expect(offered.sort()).toEqual(operations.sort());
    for (const id of operations) {
      await tab.goTo(`#/playground/${id}`);
      await tab.page.waitForFunction(
        (wanted) => document.querySelector<HTMLSelectElement>('main select')?.value === wanted,
        {},
        id,
      );
      await tab.page.waitForSelector('form button[type=submit]');
    }
    expect(tab.complaints).toEqual([]);
  }, 240_000);
});

test('what has ended is not asked for again when other jobs change, and a stranger is not the operator', async () => {
  const user = await createSignedIn({ plan: 'pro' });
  const { DATABASE_URL: url = '' } = environmentOf(inject('stack'));
  const db = createDb({ url, poolSize: 1, onError: () => undefined });
  const failed = { userId: user.userId, actorId: null, action: 'sign-in.failed' } as const;
  await recordAudit(db, { ...failed, address: '203.0.113.9' });
  await db.destroy();
  const { body: made } = await call('/api/keys', {
    headers: { Cookie: user.cookie },
    key: null,
    body: { name: 'own' },
  });
  const scrape = () => call(scrapePath, { key: made['key'], body: { url: `${site.origin}/article` } });
  const { jobId } = (await scrape()).body['meta'];
  const tab = await openSignedIn(user);
  await tab.goTo('#/audit');
  await tab.shows(/Sign in failed.*unknown.*203\.0\.113\.9/);
  await tab.goTo(`#/jobs/${jobId}`);
  await tab.shows('How slate is split');
  let asked = 0;
  tab.page.on('request', (request) => (asked += Number(request.url().endsWith(jobId))));
  let told = false;
  const listening = tab.page.evaluate(async () => {
    const feed = new EventSource('/api/proxy/events');
    await new Promise((resolve) =>
      feed.addEventListener('message', ({ data }) => /succeeded/.test(data) && resolve(null)),
    );
    feed.close();
    // Longer than the page gathers changes.
    await new Promise((resolve) => setTimeout(resolve, 500));
  });
  void listening.then(() => (told = true));
  await expect.poll(async () => (await scrape()) && told, { interval: 500 }).toBe(true);
  expect(asked).toBe(0);
});

test('a list comes where jobs change more often than it is answered; a hidden tab keeps no connection', async () => {
  const user = await createSignedIn({ plan: 'pro' });
  const headers = { Cookie: user.cookie };
  const { body: made } = await call('/api/keys', { headers, key: null, body: { name: 'own' } });
  const body = { url: `${site.origin}/article` };
  const { jobId } = (await call(scrapePath, { key: made['key'], body })).body['meta'];
  const tab = await browser.open();
  await tab.page.evaluateOnNewDocument(() => {
    const feeds: EventSource[] = [];
    globalThis.EventSource = class extends EventSource {
      constructor(...asked: ConstructorParameters<typeof EventSource>) {
        super(...asked);
        feeds.push(this);
      }
    };
    const openFeeds = () => feeds.filter(({ readyState }) => readyState !== EventSource.CLOSED);
    const { fetch: ask } = globalThis;
    globalThis.fetch = async (input, init) => {
      const answer = await ask(input, init);
      if (!String(input).startsWith('/api/proxy/jobs?')) return answer;
      await new Promise((resolve) => setTimeout(resolve, 1_200));
      init?.signal?.throwIfAborted();
      return answer;
    };
    setInterval(() => {
      for (const feed of openFeeds()) feed.dispatchEvent(new MessageEvent('message', { data: '{}' }));
    }, 50);
    const hide = (hidden: boolean) => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: hidden });
      document.dispatchEvent(new Event('visibilitychange'));
    };
    Object.assign(globalThis, { openFeeds, hide });
  });
  const { url } = inject('stack');
  const [name = '', value = ''] = user.cookie.split('=');
  await tab.page.setCookie({ name, value: decodeURIComponent(value), url, httpOnly: true });
  await tab.page.goto(`${url}/#/jobs`);
  await tab.page.waitForSelector(`a[href*="${jobId}"]`);

  const feeds = (hidden: boolean) =>
    tab.page.evaluate((is) => {
      const own = globalThis as unknown as { hide(hidden: boolean): void; openFeeds(): EventSource[] };
      own.hide(is);
      return own.openFeeds().length;
    }, hidden);
  expect(await feeds(true)).toBe(0);
  expect(await feeds(false)).toBe(1);
  expect(tab.complaints).toEqual([]);
});

test('a list is asked for anew where the request before never ends', async () => {
  const user = await createSignedIn({ plan: 'pro' });
  const tab = await openSignedIn(user);
  await tab.goTo('#/keys');
  await tab.shows('No keys yet');
  let asked = 0;
  await tab.page.setRequestInterception(true);
  tab.page.on('request', (request) => {
    const isList = request.method() === 'GET' && new URL(request.url()).pathname === '/api/keys';
    if (isList) asked++;
    if (!isList || asked > 1) void request.continue();
  });
  const create = async (name: string) => {
    await tab.page.locator('::-p-aria(Create a key)').click();
    await tab.page.locator('::-p-aria([name="Name"])').fill(name);
    await tab.page.locator('::-p-aria([name="Create"][role="button"])').click();
    await tab.shows(/svc_live_\w{50}/);
    await tab.page.locator('::-p-aria(I have kept it)').click();
  };
  await create('laptop');
  await expect.poll(() => asked).toBe(1);
  await create('desktop');
  await tab.shows(/desktop.*laptop|laptop.*desktop/);
});

describe('every page', () => {
  const pages = [
    ['', 'Overview'],
    ['keys', 'Keys'],
    ['usage', 'Usage'],
    ['playground', 'Playground'],
    ['jobs', 'Jobs'],
    ['gallery', 'Gallery'],
    ['webhooks', 'Webhooks'],
    ['audit', 'Audit log'],
    ['admin/users', 'Users'],
    ['admin/queues', 'Queues'],
    ['admin/audit', 'Audit log of all'],
  ] as const;
  const appearances = [
    { theme: 'light', width: 1_280 },
    { theme: 'dark', width: 390 },
  ];

  test.each(appearances)(
    'is accessible by WCAG 2.2 AA, $theme at $width px',
    async ({ theme, width }) => {
      const tab = await openSignedIn(admin);
      await tab.page.setViewport({ width, height: 800 });
      await tab.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
      await tab.shows('Overview');
      await tab.page.evaluate(axeSource);
      for (const [name, title] of pages) {
        await tab.goTo(`#/${name}`);
        await tab.page.waitForFunction((wanted) => document.title.startsWith(wanted), {}, title);
        await tab.page.waitForFunction(
          () => !document.querySelector('main')?.textContent?.includes('Loading …'),
        );
        const found = await tab.page.evaluate(async () => {
          const { axe } = window as unknown as {
            axe: { run(context: Document, options: object): Promise<AxeResults> };
          };
          const { violations } = await axe.run(document, {
            runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
            resultTypes: ['violations'],
          });
          return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`);
        });
        const wider = await tab.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        expect({ name, found, wider }).toEqual({ name, found: [], wider: 0 });
      }
      expect(tab.complaints).toEqual([]);
    },
    240_000,
  );

  test('the first one brings at most 250 kB of scripts, compressed', async () => {
    const tab = await browser.open();
    await tab.page.goto(inject('stack').url, { waitUntil: 'networkidle0' });
    const bytes = await tab.page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('.js'))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    );
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(250_000);
  });

  test('may run only what this service serves', async () => {
    const response = await fetch(inject('stack').url);
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
  });

  test('that needs a session asks for it, and one of admins is not there for others', async () => {
    const tab = await openSignedIn(await createSignedIn({ plan: 'pro' }));
    await tab.shows('Overview');
    expect(await tab.text()).not.toContain('Administration');
    await tab.page.locator('::-p-aria(Sign out)').click();
    await tab.shows('Password');
  });
});
