import type { Page } from 'puppeteer-core';
import type { Service } from '../test/support/service.ts';
import type { StandIns } from './console-stand-ins.ts';

interface Account {
  email: string;
  password: string;
}
interface Prepared {
  key: string;
  of(operation: string): Record<string, string>;
}

/**
 * Sends every operation of the reference once from the playground of a signed-in tab, by the keyboard alone, and prints
 * what each answered.
 */
export async function clickThrough(
  tab: Page,
  service: Service,
  standIns: StandIns,
  account: Account,
): Promise<void> {
  const values = await prepareValues(tab, standIns, account);
  await tab.evaluate((key) => {
    sessionStorage.setItem('quarry.key', key);
    location.hash = '#/playground';
  }, values.key);
  await tab.waitForSelector('main optgroup option');
  const document = (await (await fetch(new URL('/openapi.json', service.url))).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.values(document.paths).flatMap((item) => Object.values(item));
  const ids = operations.map(({ operationId }) => operationId).sort(lastOnesLast);
  const without: string[] = [];
  for (const id of ids) {
    const answer = await sendOnce(tab, id, values.of(id));
    console.log(`  ${id.padEnd(36)} ${answer}`);
    if (!/^2\d\d /.test(answer)) without.push(id);
  }
  console.log(`${ids.length} operations sent, ${ids.length - without.length} with an answer of 2xx`);
  if (without.length > 0) console.log(`  the others: ${without.join(', ')}`);
}

/** What takes something away comes after what looks at it, and what changes the session comes last. */
const late = [
  /\.(delete|revoke|revoke-license|rotate|rotate-secret)$/,
  /sign-up$/,
  /sign-in$/,
  /password$/,
  /sign-out$/,
];
const lateness = (id: string) => late.findIndex((pattern) => pattern.test(id));
const lastOnesLast = (a: string, b: string) => lateness(a) - lateness(b) || a.localeCompare(b);

interface Sent {
  method: 'GET' | 'POST';
  key?: string;
  body?: object;
}

/** A request with the tab's session. */
async function ask<Body>(tab: Page, path: string, sent: Sent = { method: 'GET' }): Promise<Body> {
  return await tab.evaluate(
    async (at, { method, key, body }) => {
      const answer = await fetch(at, {
        method,
        headers: { 'Content-Type': 'application/json', ...(key === undefined ? {} : { 'X-API-Key': key }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return (await answer.json()) as Body;
    },
    path,
    sent,
  );
}

/** What a signed link is made of. */
function partsOf(link: string): Record<string, string> {
  const { pathname, searchParams } = new URL(link);
  return { ...Object.fromEntries(searchParams), id: pathname.split('/').at(-1) ?? '' };
}

/** What has to exist before it can be asked for: keys, results, a message. */
async function prepareValues(tab: Page, { site, videoUrl }: StandIns, account: Account): Promise<Prepared> {
  const url = `${site.origin}/article`;
  const make = async (name: string) =>
    await ask<{ id: string; key: string }>(tab, '/api/keys', { method: 'POST', body: { name } });
  const own = await make('playground');
  const [spare, lost, shut] = [
    await make('to be rotated'),
    await make('to be lost'),
    await make('to be shut'),
  ];
  const proxied = async <Data>(name: string, body: object) =>
    (await ask<{ data: Data }>(tab, `/api/proxy/web/v1/${name}`, { method: 'POST', key: own.key, body }))
      .data;
  const shot = await proxied<{ id: string; imageUrl: string }>('screenshot', { url });
  const { data: download } = await ask<{ data: { url: string } }>(
    tab,
    `/api/proxy/video/v1/platform/download?url=${encodeURIComponent(videoUrl)}`,
    { method: 'GET', key: own.key },
  );
  const review = await proxied<{ reviewId: string }>('review', { url, categories: ['security'] });
  await ask(tab, '/api/webhooks/test', { method: 'POST', body: { url } });
  const { deliveries } = await ask<{ deliveries: { id: string }[] }>(tab, '/api/webhooks/deliveries');
  const { users } = await ask<{ users: { id: string }[] }>(tab, '/api/admin/users');
  const ids: Record<string, string | undefined> = {
    'keys.rotate': spare.id,
    'keys.delete': lost.id,
    'keys.revoke': shut.id,
    'admin.grant-license': users.at(-1)?.id,
    'admin.revoke-license': users.at(-1)?.id,
    'jobs.delete': review.reviewId,
    'webhooks.redeliver': deliveries[0]?.id,
  };
  const special: Record<string, Record<string, string>> = {
    'system.file': partsOf(shot.imageUrl),
    'system.tunnel': partsOf(download.url),
    'auth.sign-up': { name: 'New', email: 'new@quarry.test', password: account.password },
    'auth.sign-in': { ...account },
    'auth.change-password': { currentPassword: account.password, newPassword: `${account.password}-2` },
  };
  const of = (id: string) => ({
    url: id.startsWith('video.') ? videoUrl : url,
    urls: `${url}\n${site.origin}/`,
    reviewId: review.reviewId,
    plan: 'pro',
    id: ids[id] ?? (id.startsWith('keys.') ? own.id : shot.id),
    ...special[id],
  });
  return { key: own.key, of };
}

/** What has the focus, by its name, its label or its text. */
const focusedOf = (tab: Page): Promise<string> =>
  tab.evaluate(() => {
    const element = document.activeElement;
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)
      return element.name || element.type;
    return element?.tagName === 'SELECT' ? 'select' : (element?.textContent ?? '');
  });

/** Presses Tab until one of the names has the focus. @returns it. */
async function tabTo(tab: Page, names: readonly string[]): Promise<string> {
  for (let presses = 0; presses < 60; presses++) {
    await tab.keyboard.press('Tab');
    const focused = await focusedOf(tab);
    if (names.includes(focused)) return focused;
  }
  throw new Error(`The keyboard does not reach ${names.join(' or ')}`);
}

/** Chooses the operation from the list by the first letters of its name, as lists take them. */
async function choose(tab: Page, id: string): Promise<void> {
  const name = await tab.$eval(`main option[value="${id}"]`, (option) => option.textContent ?? '');
  await tab.focus('#main');
  await tabTo(tab, ['select']);
  await tab.keyboard.type(name);
  await tab.waitForFunction(
    (hash, wanted) =>
      location.hash === hash && document.querySelector<HTMLSelectElement>('main select')?.value === wanted,
    { timeout: 10_000 },
    `#/playground/${id}`,
    id,
  );
}

/**
 * Fills in the form of the operation, as far as it must be, and sends it, by the keyboard alone.
 * @returns the answer's status or the refusal.
 */
async function sendOnce(tab: Page, id: string, values: Record<string, string>): Promise<string> {
  await choose(tab, id);
  await tab.waitForSelector('form button[type=submit]');
  const fields = await tab.$$eval('form.card > .field :is(input,textarea)[name]', (elements) =>
    elements.map((element) => (element as HTMLInputElement).name),
  );
  for (let left = fields.filter((name) => (name in values)); left.length > 0;) {
    const name = await tabTo(tab, left);
    await tab.keyboard.down('Control');
    await tab.keyboard.press('a');
    await tab.keyboard.up('Control');
    await tab.keyboard.type(values[name] ?? '');
    left = left.filter((one) => one !== name);
  }
  await tabTo(tab, ['Send']);
  await tab.keyboard.press('Enter');
  const heads = '.answer-head, form + [role=alert]';
  await tab.waitForSelector(heads, { timeout: 120_000 });
  const answer = await tab.$eval(heads, (element) => element.textContent ?? '');
  if ((await focusedOf(tab)) === 'Stop waiting') throw new Error('The focus has jumped');
  return answer;
}
