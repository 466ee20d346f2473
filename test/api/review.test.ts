import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { call } from '../support/client.ts';
import { otherwisePlanted, plantedFaults, type ReviewSite, startReviewSite } from '../support/review-site.ts';
import { createTestKey } from '../support/service.ts';
import { startSite, type Site } from '../support/site.ts';

const reviewPath = '/api/proxy/web/v1/review';

let site: ReviewSite;
let plainSite: Site;
/** Records of the two pages: Lighthouse takes its time, so each is reviewed once for all tests. */
let faulty: Record<string, any>;
let clean: Record<string, any>;
let pending: Record<string, any>;

async function untilEnded(id: string): Promise<Record<string, any>> {
  for (;;) {
    const { body } = await call(`/api/proxy/jobs/${id}`, { headers: { Prefer: 'wait=100' } });
    if (!['queued', 'running'].includes(body['data'].status)) return body['data'];
  }
}

const ask = (body: Record<string, unknown>) =>
  call(reviewPath, { body: { verifyTls: false, ...body }, headers: { Prefer: 'respond-async' } });

beforeAll(async () => {
  [site, plainSite] = await Promise.all([startReviewSite(), startSite()]);
  const ids: string[] = [];
  for (const path of ['/faulty', '/clean']) {
    const { status, body } = await ask({ url: site.origin + path });
    expect(status, JSON.stringify(body)).toBe(202);
    ids.push(body['data'].id);
    if (path === '/faulty') pending = (await call(`${reviewPath}/${body['data'].id}`)).body['data'];
    const job = await untilEnded(body['data'].id);
    expect(job['status'], JSON.stringify(job)).toBe('succeeded');
  }
  const [first, second] = await Promise.all(ids.map((id) => call(`${reviewPath}/${id}`)));
  faulty = first?.body['data'];
  clean = second?.body['data'];
}, 240_000);
afterAll(async () => {
  await Promise.all([site[Symbol.asyncDispose](), plainSite.close()]);
});

const idsOf = (record: Record<string, any>): string[] => record['issues'].map(({ id }: { id: string }) => id);

describe('a review', () => {
  test('names each planted fault, with what to do and where it stands', () => {
    expect(plantedFaults.length).toBeGreaterThanOrEqual(25);
    expect(plantedFaults.filter((id) => !idsOf(faulty).includes(id))).toEqual([]);
    for (const issue of faulty['issues']) {
      expect(issue.fix, issue.id).not.toBe('');
      expect(issue.description, issue.id).not.toBe('');
    }
    const evidenceOf = (id: string) => faulty['issues'].find((issue: any) => issue.id === id).evidence;
    expect(evidenceOf('link-broken')).toMatchObject([
      { url: `${site.origin}/no-such-page`, value: 'status 404' },
      { url: `${site.origin}/no-such-part`, value: 'status 404' },
    ]);
    expect(evidenceOf('language-mismatch')[0].value).toContain('lang="de"');
    expect(evidenceOf('color-contrast')[0].element).toContain('color:#bbb');
  });

  test('names none of them for a page that has none', () => {
    expect(plantedFaults.filter((id) => idsOf(clean).includes(id))).toEqual([]);
    // The certificate of the fixture is nobody's, and that is true of both pages.
    expect(idsOf(clean)).toContain('tls-certificate-invalid');
    const passed = clean['passed'].map(({ id }: { id: string }) => id);
    for (const id of ['image-alt', 'link-broken', 'csp-weak', 'structured-data-invalid', 'language-mismatch'])
      expect(passed).toContain(id);
  });

  test('names faults in other shapes too, and needs no category of Lighthouse for it', async () => {
    const categories = ['security', 'content'];
    const started = await ask({ url: `${site.origin}/otherwise`, categories });
    const { id } = started.body['data'];
    expect(await untilEnded(id)).toMatchObject({ status: 'succeeded' });
    const { data } = (await call(`${reviewPath}/${id}`)).body;
    expect(otherwisePlanted.filter((one) => !idsOf(data).includes(one))).toEqual([]);
    expect(otherwisePlanted.filter((one) => idsOf(clean).includes(one))).toEqual([]);
    const named = (issue: string): string[] =>
      data.issues
        .find((one: any) => one.id === issue)
        .evidence.map(({ url, value }: any) => `${url} ${value}`);
    const places = ['in-style', 'in-srcset', 'in-poster', 'in-frame', 'in-script', 'in-sheet'];
    expect(places.filter((place) => !named('mixed-content').some((one) => one.includes(place)))).toEqual([]);
    const reasons = ['redirects in a circle', 'status 410', 'status 503', 'dns failed', 'this is no address'];
    expect(reasons.filter((reason) => !named('link-broken').some((one) => one.endsWith(reason)))).toEqual([]);
    expect(named('link-broken')).toHaveLength(reasons.length);
    expect(named('structured-data-invalid')).toHaveLength(3);
    expect(data.scores).toMatchObject({ performance: null, accessibility: null, seo: null });
    expect(data.scores.security).toBeLessThan(40);
    // Judged by the page, not by the file over plain HTTP that it leads to.
    expect(data.finalUrl).toBe(`${site.origin}/otherwise`);
    expect(data.passed).toContainEqual(expect.objectContaining({ id: 'tls-version-old' }));
  });

  test('scores every category and tells how the overall score is made', () => {
    for (const { scores, scoring, metrics, runs } of [faulty, clean]) {
      const weights = Object.entries<number>(scoring.weights);
      const sum = weights.reduce((total, [name, weight]) => total + weight * scores[name], 0);
      const mean = sum / weights.reduce((total, [, weight]) => total + weight, 0);
      expect(scores.overall).toBe(Math.round(10 * mean) / 10);
      expect(weights).toHaveLength(6);
      expect(metrics.lcpMs).toBeGreaterThan(0);
      expect(runs).toHaveLength(1);
    }
    expect(faulty['scores'].overall).toBeLessThan(clean['scores'].overall);
    expect(faulty['metrics'].cls).toBeGreaterThan(0.1);
    expect(faulty['spread']).toBeNull();
  });

  test('lists its issues in order of effect, and its narrative follows them', () => {
    const effects = faulty['issues'].map(({ effect }: { effect: number }) => effect);
    expect(effects).toEqual(effects.toSorted((a: number, b: number) => b - a));
    const { text, model, usage } = faulty['narrative'];
    expect({ model, usage }).toEqual({ model: 'quarry/extractive', usage: null });
    expect(text).toContain(faulty['issues'][0].title);
    expect(text.indexOf(faulty['issues'][0].title)).toBeLessThan(text.indexOf(faulty['issues'][5].title));
  });
});

describe('GET /review/{reviewId}', () => {
  test('can be asked while it runs', () => {
    expect(['queued', 'running']).toContain(pending['status']);
    expect(pending).toMatchObject({
      url: `${site.origin}/faulty`,
      device: 'mobile',
      scores: null,
      issues: null,
    });
  });

  test('has its screenshot by id, as a record and as a picture', async () => {
    const path = `/api/proxy/web/v1/screenshot/${faulty['screenshotId']}`;
    const { body } = await call(path);
    const record = body['data'];
    expect(record).toMatchObject({ status: 'succeeded', format: 'jpeg', finalUrl: `${site.origin}/faulty` });
    const { url, key } = inject('stack');
    const headers = { 'X-API-Key': key, Accept: 'image/*' };
    for (const response of [await fetch(record.imageUrl), await fetch(new URL(path, url), { headers })]) {
      const bytes = Buffer.from(await response.arrayBuffer());
      const { format, width, height } = await sharp(bytes).metadata();
      expect({ format, width, height }).toEqual({
        format: 'jpeg',
        width: record.width,
        height: record.height,
      });
    }
  });

  test('answers the report as one page that loads nothing', async () => {
    const { url, key } = inject('stack');
    const headers = { 'X-API-Key': key, Accept: 'text/html' };
    const response = await fetch(new URL(`${reviewPath}/${faulty['reviewId']}`, url), { headers });
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(response.headers.get('content-security-policy')).toContain('sandbox');
    const report = await response.text();
    expect(await (await fetch(faulty['reportUrl'])).text()).toBe(report);
    expect(report).not.toMatch(/<script|<link|@import|<iframe/i);
    const sources = [...report.matchAll(/\ssrc="([^"]{0,30})/g)].map((match) => match[1] ?? '');
    expect(sources.length).toBeGreaterThan(1);
    expect(sources.filter((source) => !source.startsWith('data:image/jpeg;base64,'))).toEqual([]);
    expect(report).toContain('Links lead nowhere');
    expect(report).toContain('&lt;img src=&quot;/picture.png&quot;');
  });

  test('tells what got better, worse, new and gone against another', async () => {
    const path = `${reviewPath}/${clean['reviewId']}?against=${faulty['reviewId']}`;
    const { comparison } = (await call(path)).body['data'];
    expect(comparison.against).toBe(faulty['reviewId']);
    expect(comparison.better).toEqual(expect.arrayContaining(['overall', 'security', 'content', 'cls']));
    expect(comparison.scores.content).toMatchObject({ before: faulty['scores'].content, verdict: 'better' });
    const gone = comparison.goneIssues.map(({ id }: { id: string }) => id);
    expect(gone).toEqual(expect.arrayContaining([...plantedFaults]));
    const itself = await call(`${reviewPath}/${clean['reviewId']}?against=${clean['reviewId']}`);
    expect(itself.body['data'].comparison).toMatchObject({
      better: [],
      worse: [],
      newIssues: [],
      goneIssues: [],
    });
  });

  test("is 404 for another user's key and for another kind of job", async () => {
    const { key } = await createTestKey(inject('stack').home, 'free');
    expect((await call(`${reviewPath}/${clean['reviewId']}`, { key })).status).toBe(404);
    const scraped = await call('/api/proxy/web/v1/scrape', { body: { url: `${plainSite.origin}/article` } });
    expect((await call(`${reviewPath}/${scraped.body['meta'].jobId}`)).status).toBe(404);
    const against = `${reviewPath}/${clean['reviewId']}?against=${scraped.body['meta'].jobId}`;
    expect((await call(against)).status).toBe(404);
  });
});

describe('what cannot be reviewed is told before a browser is started', () => {
  test.each([
    ['an error page', '/no-such-page', 'unsupported_content'],
    ['a file that is no page', '/text.txt', 'unsupported_content'],
  ])('%s', async (_, path, code) => {
    const { body } = await call(reviewPath, { body: { url: plainSite.origin + path } });
    expect(body).toMatchObject({ code });
  });

  test('an address that the rules refuse', async () => {
    const { body } = await call(reviewPath, { body: { url: 'http://10.0.0.1/' } });
    expect(body).toMatchObject({ status: 403, code: 'url_not_allowed' });
  });

  test('a certificate that nobody vouches for', async () => {
    const { body } = await call(reviewPath, { body: { url: `${site.origin}/clean` } });
    expect(body).toMatchObject({ code: 'target_tls_failed' });
  });

  test.each([
    ['a category that there is not', { categories: ['beauty'] }],
    ['too many runs', { runs: 6 }],
    ['an option of other pages', { render: 'http' }],
  ])('%s', async (_, options) => {
    const { body } = await call(reviewPath, { body: { url: plainSite.origin, ...options } });
    expect(body).toMatchObject({ status: 400, code: 'invalid_request' });
  });

  test('a model that there is not', async () => {
    const { body } = await call(reviewPath, { body: { url: plainSite.origin, model: 'nobody/none' } });
    expect(body).toMatchObject({ code: 'unknown_model' });
  });
});
