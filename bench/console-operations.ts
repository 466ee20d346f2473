import type { Page } from 'puppeteer-core';
import type { Service } from '../test/support/service.ts';
import type { Site } from '../test/support/site.ts';

interface Around {
  service: Service;
  site: Site;
}
interface Prepared {
  key: string;
  of(operation: string): Record<string, string>;
}

/** Sends every operation of the reference once from the playground of a signed-in tab, and prints what each answered. */
export async function clickThrough(tab: Page, { service, site }: Around): Promise<void> {
  await tab.goto(service.url, { waitUntil: 'networkidle0' });
  const values = await prepareValues(tab, site);
  await tab.evaluate((key) => sessionStorage.setItem('quarry.key', key), values.key);
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

/** What takes something away comes after what looks at it. */
const takesAway = /\.(delete|revoke|revoke-license|rotate|rotate-secret)$/;
const lastOnesLast = (a: string, b: string) =>
  Number(takesAway.test(a)) - Number(takesAway.test(b)) || a.localeCompare(b);

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

/** What has to exist before it can be asked for: keys, results, a message. */
async function prepareValues(tab: Page, site: Site): Promise<Prepared> {
  const url = `${site.origin}/article`;
  const make = async (name: string) =>
    await ask<{ id: string; key: string }>(tab, '/api/keys', { method: 'POST', body: { name } });
  const own = await make('playground');
  const [spare, lost] = [await make('to be rotated'), await make('to be lost')];
  const proxied = async <Data>(name: string, body: object) =>
    (await ask<{ data: Data }>(tab, `/api/proxy/web/v1/${name}`, { method: 'POST', key: own.key, body }))
      .data;
  const shot = await proxied<{ id: string }>('screenshot', { url });
  const review = await proxied<{ reviewId: string }>('review', { url, categories: ['security'] });
  await ask(tab, '/api/webhooks/test', { method: 'POST', body: { url } });
  const { deliveries } = await ask<{ deliveries: { id: string }[] }>(tab, '/api/webhooks/deliveries');
  const { users } = await ask<{ users: { id: string }[] }>(tab, '/api/admin/users');
  const ids: Record<string, string | undefined> = {
    'keys.rotate': spare.id,
    'keys.delete': lost.id,
    'keys.revoke': lost.id,
    'admin.grant-license': users.at(-1)?.id,
    'admin.revoke-license': users.at(-1)?.id,
    'jobs.delete': review.reviewId,
    'webhooks.redeliver': deliveries[0]?.id,
  };
  const of = (id: string) => ({
    url,
    urls: `${url}\n${site.origin}/`,
    reviewId: review.reviewId,
    plan: 'pro',
    id: ids[id] ?? (id.startsWith('keys.') ? own.id : shot.id),
  });
  return { key: own.key, of };
}

/** Fills in the form of the operation, as far as it must be, sends it, and tells the answer's status or the refusal. */
async function sendOnce(tab: Page, id: string, values: Record<string, string>): Promise<string> {
  await tab.evaluate((hash) => {
    location.hash = hash;
  }, `#/playground/${id}`);
  await tab.waitForFunction(
    (wanted) => document.querySelector<HTMLSelectElement>('main select')?.value === wanted,
    {},
    id,
  );
  await tab.waitForSelector('form button[type=submit]');
  for (const [name, value] of Object.entries(values)) {
    const field = await tab.$(`form.card > .field [name="${name}"]:is(input,textarea)`);
    if (field === null) continue;
    await field.evaluate((element) => (element as HTMLInputElement).select());
    await field.type(value);
  }
  await tab.click('form button[type=submit]');
  const heads = '.answer-head, form + [role=alert]';
  await tab.waitForSelector(heads, { timeout: 120_000 });
  return await tab.$eval(heads, (element) => element.textContent ?? '');
}
