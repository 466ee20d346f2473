import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { type ModelServer, startModelServer, writeAsAsked } from '../support/model-server.ts';
import { keepToOneDay } from '../support/one-day.ts';
import { pidOf } from '../support/processes.ts';
import { createTestKey, readServiceLogs, type Service, startService } from '../support/service.ts';
import { type Site, startSite } from '../support/site.ts';
import { orderingPages, villageSite } from '../support/site/villages.ts';

const base = '/api/proxy/web/v1';
const apiKey = 'sk-of-the-stand-in-0123456789';
let site: Site;
let models: ModelServer;
let service: Service;
beforeAll(async () => {
  [site, models] = await Promise.all([startSite(), startModelServer()]);
  for (const [path, html] of Object.entries({ ...villageSite, ...orderingPages })) site.serve(path, html);
  service = await startService({
    env: {
      AI_MODELS: 'compatible/small, compatible/absent@32768',
      COMPATIBLE_BASE_URL: `${models.origin}/v1`,
      COMPATIBLE_API_KEY: apiKey,
      // The model's server is reached because it is configured, not because it is allowed as a target.
      EGRESS_ALLOW: `127.0.0.1:${site.port}`,
    },
  });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await models[Symbol.asyncDispose]();
  await site.close();
});
beforeEach(() => {
  models.calls.length = 0;
  models.faults.length = 0;
  models.answer = writeAsAsked;
  models.gate = Promise.resolve();
});
beforeEach(keepToOneDay);

const ask = (
  path: string,
  body: Record<string, unknown>,
  options: { key?: string; headers?: Record<string, string> } = {},
) => call(`${base}${path}`, { key: service.key, ...options, body: { render: 'http', ...body } }, service.url);

const job = async (id: string) =>
  (await call(`/api/proxy/jobs/${id}`, { key: service.key }, service.url)).body['data'];

describe('a summary by an OpenAI-compatible server that two variables name', () => {
  test('is written by it, with the quotes that stand in the page, and the tokens that it took', async () => {
    const { status, body } = await ask('/summarize/url', { url: `${site.origin}/villages/alto` });
    expect(status).toBe(200);
    const { data } = body;
    expect(data).toMatchObject({ title: 'Alto', model: 'compatible/small', truncated: false });
    expect(data.summary).toContain('In short');
    expect(data.keyPoints).toContain('It promises free lunch.');
    expect(data.citations).toHaveLength(2);
    expect(data.citations.map(({ claim }: any) => claim)).not.toContain('It promises free lunch.');
    expect(data.usage.inputTokens).toBeGreaterThan(100);
    expect(models.calls).toMatchObject([{ protocol: 'chat', model: 'small', key: apiKey, hasSchema: true }]);
  });

  test('of a site is written page by page, then as a whole', async () => {
    const { status, body } = await ask('/summarize/website', { url: `${site.origin}/villages`, maxPages: 3 });
    expect(status).toBe(200);
    const { site: said, pages, usage } = body['data'];
    expect(said).toMatchObject({ purpose: 'To be summarised.', audience: 'Testers.', topics: ['site'] });
    expect(pages).toHaveLength(3);
    expect(models.calls).toHaveLength(4);
    expect(usage.inputTokens).toBeGreaterThan(400);
  });

  test('of several pages together is merged by it', async () => {
    const urls = ['alto', 'brun'].map((name) => `${site.origin}/villages/${name}`);
    const { body } = await ask('/summarize/urls', { urls, combine: true });
    expect(body['data'].combined.summary).toContain('Together');
    expect(body['data'].combined.citations[0]).toMatchObject({ url: urls[0] });
    expect(models.calls).toHaveLength(3);
  });

  test('of one page alone is that of the page', async () => {
    const urls = [`${site.origin}/villages/alto`];
    const { body } = await ask('/summarize/urls', { urls, combine: true });
    const { items, combined } = body['data'];
    const { summary, keyPoints, topics, citations, truncated } = items[0].data;
    expect(topics).not.toEqual([]);
    expect(combined).toEqual({
      summary,
      keyPoints,
      topics,
      citations: citations.map((each: any) => ({ ...each, url: items[0].data.finalUrl })),
      truncated,
      usage: null,
      model: 'compatible/small',
    });
    expect(models.calls).toHaveLength(1);
  });

  test('of what cannot be merged in the end is made by the built-in model, and the pages are kept', async () => {
    const urls = ['alto', 'brun'].map((name) => `${site.origin}/villages/${name}`);
    models.faults.push({}, {}, { status: 404 });
    const several = await ask('/summarize/urls', { urls, combine: true });
    expect(several.status).toBe(200);
    expect(several.body['data']).toMatchObject({
      succeeded: 2,
      combined: { model: 'quarry/extractive', usage: null },
    });
    expect(several.body['meta'].warnings).toMatchObject([{ code: 'model_failed' }]);
    models.faults.push({}, {}, { status: 404 });
    const website = await ask('/summarize/website', { url: `${site.origin}/villages`, maxPages: 2 });
    expect(website.body['meta'].warnings).toMatchObject([{ code: 'model_failed' }]);
    expect(website.body['data'].site).toMatchObject({ summary: expect.stringMatching(/./), purpose: null });
    expect(website.body['data'].usage.inputTokens).toBeGreaterThan(100);
  });

  test('by a provider that counts no tokens takes of the plan what is counted here', async () => {
    const { key } = await createTestKey(service.home, 'frugal');
    const content = '{"summary": "A village.", "keyPoints": [], "topics": []}';
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    models.faults.push({
      body: JSON.stringify({ id: '1', object: 'chat.completion', created: 1, model: 'small', choices }),
    });
    const { body } = await ask('/summarize/url', { url: `${site.origin}/villages/alto` }, { key });
    expect(body['data']).toMatchObject({ summary: 'A village.', usage: null });
    const { tokens } = (await call(`${base}/profile`, { key }, service.url)).body['data'];
    expect(tokens.today).toBeGreaterThan(100);
  });

  test('gives the model what the page says as material, never as orders, and nothing that is not shown', async () => {
    for (const path of Object.keys(orderingPages)) {
      models.calls.length = 0;
      expect((await ask('/summarize/url', { url: site.origin + path })).status).toBe(200);
      const [{ system, prompt } = { system: '', prompt: '' }] = models.calls;
      expect(system).not.toContain('PWNED');
      const [, mark] = /^<(material-[0-9a-f]{16})>/.exec(prompt) ?? [];
      expect(prompt.endsWith(`</${mark}>`)).toBe(true);
      expect(prompt.includes('PWNED')).toBe(path === '/orders/text');
    }
  });

  test('can be left to the built-in model, which costs nothing', async () => {
    const { body } = await ask('/summarize/url', {
      url: `${site.origin}/villages/alto`,
      model: 'quarry/extractive',
    });
    expect(body['data']).toMatchObject({ model: 'quarry/extractive', usage: null });
    expect(models.calls).toHaveLength(0);
  });

  test('that fails says so, without the key or the words of the provider', async () => {
    models.faults.push({ status: 400 }, { status: 400 });
    const { status, body } = await ask('/summarize/url', { url: `${site.origin}/villages/alto` });
    expect([status, body['code']]).toEqual([502, 'upstream_failed']);
    expect(JSON.stringify(body)).not.toContain('stand-in');
    models.faults.push({ status: 401 });
    const refused = await ask('/summarize/url', { url: `${site.origin}/villages/alto` });
    expect([refused.status, refused.body['code']]).toEqual([503, 'not_configured']);
    expect(refused.body['detail']).toContain('COMPATIBLE_API_KEY');
  });
});

test('the models are listed with what is known of them now', async () => {
  const { body } = await call(`${base}/ai/models`, { key: service.key }, service.url);
  const facts = body['data'].models.map(
    ({ id, available, local, contextLength, default: isDefault }: any) => [
      id,
      { available, local, contextLength, isDefault },
    ],
  );
  expect(Object.fromEntries(facts)).toEqual({
    'compatible/small': { available: true, local: true, contextLength: null, isDefault: true },
    'compatible/absent': { available: false, local: true, contextLength: 32_768, isDefault: false },
    'quarry/extractive': { available: true, local: true, contextLength: null, isDefault: false },
  });
});

test('a worker that is killed in the middle of a website repeats no call that was paid', async () => {
  const { promise, resolve: open } = Promise.withResolvers<void>();
  let answered = 0;
  models.answer = (asked) => {
    answered++;
    // The pages of the first wave are answered, the rest waits for the kill.
    if (answered === 5) models.gate = promise;
    return writeAsAsked(asked);
  };
  const { body } = await ask(
    '/summarize/website',
    { url: `${site.origin}/villages`, maxPages: 6 },
    { headers: { Prefer: 'respond-async' } },
  );
  const { id } = body['data'];
  await expect.poll(() => models.calls.length, { timeout: 60_000, interval: 20 }).toBe(6);
  const paid = models.calls.slice(0, 5).map(({ prompt }) => prompt.replace(/material-\w+/g, ''));
  // The answers are stored before the next wave is asked for.
  process.kill(pidOf(service, 'worker-http'), 'SIGKILL');
  models.answer = writeAsAsked;
  models.gate = Promise.resolve();
  open();
  await expect.poll(async () => (await job(id)).status, { timeout: 60_000, interval: 200 }).toBe('succeeded');
  const asked = models.calls.map(({ prompt }) => prompt.replace(/material-\w+/g, ''));
  for (const prompt of paid) expect(asked.filter((each) => each === prompt)).toHaveLength(1);
  // Six pages and the site; the call that was under way is asked again.
  expect(models.calls).toHaveLength(8);
  expect((await job(id)).result.pages).toHaveLength(6);
}, 120_000);

test('the tokens of a day are bounded by the plan, exactly, also by calls side by side', async () => {
  const { key } = await createTestKey(service.home, 'frugal');
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, at) =>
      ask('/summarize/url', { url: `${site.origin}/villages/alto?n=${at}`, length: 'short' }, { key }),
    ),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
  for (const { body, headers } of refused) {
    expect(body['code']).toBe('token_budget_used');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  }
  const { tokens } = (await call(`${base}/profile`, { key }, service.url)).body['data'];
  const spent = answers
    .flatMap(({ status, body }) => (status === 200 ? body['data'].usage : []))
    .reduce((sum, usage) => sum + usage.inputTokens + usage.outputTokens, 0);
  expect(tokens).toMatchObject({ today: spent, maxPerDay: 4_000, byModel: [{ model: 'compatible/small' }] });
  expect(spent).toBeLessThanOrEqual(4_000);
  const free = await ask(
    '/summarize/url',
    { url: `${site.origin}/villages/alto`, model: 'quarry/extractive' },
    { key },
  );
  expect(free.status).toBe(200);
});

test('a job that is canceled while its model writes takes of the plan what was asked', async () => {
  const { key } = await createTestKey(service.home, 'frugal');
  models.faults.push({ hangs: true });
  const { body } = await ask(
    '/summarize/url',
    { url: `${site.origin}/villages/alto`, length: 'short' },
    { key, headers: { Prefer: 'respond-async' } },
  );
  await expect.poll(() => models.calls.length, { timeout: 30_000 }).toBe(1);
  await call(`/api/proxy/jobs/${body['data'].id}`, { key, method: 'DELETE' }, service.url);
  const used = async () =>
    (await call(`${base}/profile`, { key }, service.url)).body['data'].tokens as Record<string, any>;
  await expect.poll(async () => (await used())['byModel'][0]?.inputTokens).toBeGreaterThan(100);
  expect((await used())['byModel'][0].outputTokens).toBe(0);
});

test('what a provider says of a failure is in the logs, and no key is', async () => {
  const logs = await readServiceLogs(service.home);
  expect(logs).toContain('The stand-in answers 401');
  expect(logs).not.toContain(apiKey);
});
