import { describe, expect, test } from 'vitest';
import { AppError, type StoredError } from '../../src/shared/errors.ts';
import type { Generated, GenerateRequest } from '../../src/workers/ai/model.ts';
import type { TaskPool } from '../../src/shared/tasks/task.ts';
import narrate from '../../src/workers/handlers/review/narrate.ts';
import review from '../../src/workers/handlers/web/review.ts';
import { createPageReader, smallPage } from '../../src/workers/page/page-reader.ts';
import { gatherFindings } from '../../src/workers/review/gather-findings.ts';
import type { JobContext } from '../../src/workers/handler.ts';
import { type LighthouseReport, readReport } from '../../src/workers/review/lighthouse/read-report.ts';
import { arriveAt } from '../../src/workers/review/review-page.ts';
import { type KeptRun, type OwnFindings, runReview } from '../../src/workers/review/run-review.ts';

const noMetrics = { lcpMs: 1, fcpMs: 1, cls: 0, tbtMs: 0, speedIndexMs: 1, ttfbMs: 1 };
const run: KeptRun = {
  version: '13',
  finalUrl: 'https://example.com/',
  scores: { performance: 80 },
  metrics: noMetrics,
  issues: [],
  passed: [],
  warnings: [],
  otherLoad: 0,
  statusCode: 200,
  title: 'A',
  screenshot: null,
};
const own: OwnFindings = { scores: { security: 50, content: 60 }, issues: [], passed: [] };

/** Reads small pages only, as it does in its own process. */
const smallPages = createPageReader({} as TaskPool);

type Narrated = { ok: true; output: unknown } | { ok: false; error: StoredError };

/** Reviews with steps that are answered as they were stored. */
async function reviewWith(
  input: Record<string, unknown>,
  { narrated, stored = own }: { narrated?: Narrated; stored?: OwnFindings } = {},
) {
  const warnings: string[] = [];
  let report = '';
  const job = {
    userId: 'u',
    signal: new AbortController().signal,
    progress: async () => undefined,
    warn: (code: string, message: string) => warnings.push(`${code}: ${message}`),
    step: async () => ({ run, own: stored }),
    callAll: async () => [narrated],
    files: {
      write: async (_: string, __: string, content: Uint8Array) => void (report = content.toString()),
      read: async function* () {
        yield Buffer.from('[]');
      },
    },
  } as unknown as JobContext;
  const tools = { modelIdOf: () => (narrated === undefined ? 'quarry/extractive' : 'openai/small') };
  const request = review.operation.input.parse({ url: 'https://example.com/', ...input });
  const record = await review.run(request, job, tools as never);
  return { record, warnings, report };
}

describe('a review that has been measured', () => {
  test('is told by the built-in model where the chosen one fails', async () => {
    const error: StoredError = { code: 'token_budget_used', detail: 'The plan has 10 tokens a day.' };
    const { record, warnings, report } = await reviewWith({}, { narrated: { ok: false, error } });
    expect(record.narrative).toMatchObject({ model: 'quarry/extractive', usage: null });
    expect(record.narrative?.text).toContain('https://example.com/ scores');
    expect(warnings).toEqual([expect.stringMatching(/^model_failed: .*openai\/small.*10 tokens a day/)]);
    expect(report).toContain('10 tokens a day');
  });

  test('is told by the chosen model', async () => {
    const output = { text: 'It stands well.', usage: { inputTokens: 1, outputTokens: 1 } };
    const { record, warnings } = await reviewWith({}, { narrated: { ok: true, output } });
    expect(record.narrative).toEqual({ ...output, model: 'openai/small' });
    expect(warnings).toEqual([]);
  });

  test('warns of a page that was not read where it should have been', async () => {
    const unread = async (categories: string[]) =>
      (await reviewWith({ categories }, { stored: null })).warnings;
    expect(await unread(['performance'])).toEqual([]);
    expect(await unread(['performance', 'content'])).toEqual([expect.stringContaining('page_not_read')]);
  });
});

describe('the narrative of a model', () => {
  const narrated = async (
    text: string,
    ending: Generated['ending'],
    onRequest: (request: GenerateRequest) => void = () => undefined,
    id = 'openai/small',
  ) => {
    const model = {
      kind: 'generative',
      id,
      contextTokens: 400_000,
      generate: async (request: GenerateRequest) => {
        onRequest(request);
        return { text, ending, usage: null };
      },
    };
    const job = { userId: 'u', step: (_: string, fn: () => unknown) => fn() } as unknown as JobContext;
    const tools = { models: { get: async () => model } };
    return await narrate.run({ model: model.id, findings: 'It is slow.' }, job, tools as never);
  };

  test('is told without what the model thought, for which it has room', async () => {
    expect(await narrated('<think>Is it slow? </think>\nIt is slow.', 'complete')).toMatchObject({
      text: 'It is slow.',
    });
    const limits: number[] = [];
    await narrated('It is slow.', 'complete', (request) => void limits.push(request.maxOutputTokens));
    expect(limits).toEqual([1_500]);
    const thinking = (request: GenerateRequest) => void limits.push(request.maxOutputTokens);
    await narrated('It is slow.', 'complete', thinking, 'openai/gpt-5-mini');
    expect(limits[1]).toBe(5_500);
  });

  test('is told where it is whole', async () => {
    expect(await narrated(' It is slow. ', 'complete')).toEqual({ text: 'It is slow.', usage: null });
  });

  test.each([
    ['', 'complete'],
    ['', 'withheld'],
    ['It is slow, and', 'cut'],
    ['It is', 'withheld'],
  ] as const)('is an error where it is "%s" and %s', async (text, ending) => {
    await expect(narrated(text, ending)).rejects.toMatchObject({ code: 'upstream_failed', isFinal: true });
  });
});

test('a category that Lighthouse could not score is named, with what failed', () => {
  const report: LighthouseReport = {
    lighthouseVersion: '13',
    finalDisplayedUrl: 'https://example.com/',
    runWarnings: [],
    categories: { performance: { score: null, auditRefs: [{ id: 'speed-index', weight: 10 }] } },
    audits: {
      'speed-index': {
        id: 'speed-index',
        title: 'Speed Index',
        description: '',
        score: null,
        scoreDisplayMode: 'error',
      },
    },
  };
  const { scores, warnings } = readReport(report, { device: 'mobile', checksSecurity: true });
  expect(scores).toEqual({ performance: null });
  expect(warnings).toEqual([expect.stringMatching(/performance.*speed-index/)]);
});

describe('what Lighthouse', () => {
  const audit = (id: string, score: number) => ({
    id,
    title: id,
    description: '',
    score,
    scoreDisplayMode: 'binary',
  });
  const report = (parts: Partial<LighthouseReport> = {}): LighthouseReport => ({
    lighthouseVersion: '13',
    finalDisplayedUrl: 'https://example.com/',
    runWarnings: [],
    categories: { 'best-practices': { score: 0.5, auditRefs: [{ id: 'redirects-http', weight: 1 }] } },
    audits: { 'redirects-http': audit('redirects-http', 0) },
    ...parts,
  });

  test('says of security is left out only where our own checks say more', () => {
    const read = (checksSecurity: boolean) =>
      readReport(report(), { device: 'mobile', checksSecurity }).issues;
    expect(read(false).map(({ id }) => id)).toEqual(['redirects-http']);
    expect(read(true)).toEqual([]);
  });

  test('finds is counted to its end', () => {
    const items = Array.from({ length: 350 }, (_, at) => ({ url: `https://example.com/${at}` }));
    const audits = { 'redirects-http': { ...audit('redirects-http', 0), details: { items } } };
    const { issues } = readReport(report({ audits }), { device: 'mobile', checksSecurity: false });
    expect(issues).toMatchObject([{ evidenceTotal: 350 }]);
    expect(issues[0]?.evidence).toHaveLength(10);
  });

  test.each([
    ['PROTOCOL_TIMEOUT', 'page_unresponsive'],
    ['CRI_TIMEOUT', 'page_unresponsive'],
    ['NO_NAVSTART', 'page_crashed'],
    ['NO_TRACING_STARTED', 'page_crashed'],
    ['NO_SCREENSHOTS', 'page_crashed'],
    ['DNS_FAILURE', 'target_dns_failed'],
  ])('fails of (%s) is %s', (code, expected) => {
    const failing = report({ runtimeError: { code, message: 'It is its own.' } });
    expect(() => readReport(failing, { device: 'mobile', checksSecurity: true })).toThrow(
      expect.objectContaining({ code: expected }) as Error,
    );
  });
});

describe('the page that is checked', () => {
  const html = (title: string, canonical = '', more = {}) => ({
    headers: { 'content-type': 'text/html; charset=iso-8859-1' },
    body: `<title>${title}</title>${canonical && `<link rel="canonical" href="${canonical}">`}`,
    ...more,
  });
  interface Answer {
    headers: Record<string, string>;
    body?: string;
    status?: number;
    /** Where it leads. */
    path?: string;
  }
  const answers: Record<string, Answer> = {
    '/': { headers: { 'content-type': 'text/html' } },
    '/home': html('Fisch &amp; Br\u00f6tchen', '', { path: '/app' }),
    '/print': html('Fisch &amp; Br\u00f6tchen', '/start'),
    '/app/index.html': html('Fisch &amp; Br\u00f6tchen', '', { path: '/start' }),
    '/same': html(' Fisch &amp; Br\u00f6tchen\n'),
    '/other': html('Another'),
    '/long-refusal': html('No'.repeat(smallPage), '', { status: 403 }),
    ...Object.fromEntries(
      [400, 402, 406, 451, 501, 999].map((status) => [`/${status}`, html('', '', { status })]),
    ),
    '/app': {
      headers: {
        'content-type': 'text/html',
        'x-content-type-options': 'nosniff',
        'set-cookie': 'given=2; SameSite=Lax',
      },
    },
  };
  const lease = {
    fetch: async ({ url }: { url: string }) => {
      const { pathname } = new URL(url);
      const {
        headers,
        body = '',
        status = 200,
        path = pathname,
      } = answers[pathname] ?? { headers: {}, status: 404 };
      const bytes = Buffer.from(body || '<p>A page', 'latin1');
      return {
        url: `http://example.com${path}`,
        status,
        headers,
        body: bytes,
        certificate: null,
        redirects: [],
        timings: {},
      };
    },
    failureOf: () => null,
    droppedRequests: 3,
    async [Symbol.asyncDispose]() {},
  };
  const facts = {
    titles: ['Fisch & Br\u00f6tchen'],
    canonical: 'http://example.com/start',
    hasForms: false,
    descriptions: [],
    social: [],
    headings: [],
    images: [],
    links: ['home', 'print', 'app/index.html', 'same', 'other', 400, 402, 406, 451, 501, 999].map((name) => ({
      selector: '',
      element: '',
      url: `http://example.com/${name}`,
      text: 'x',
      isHidden: false,
    })),
    metaPolicies: [],
    deadFragments: [],
    scripts: [],
    plain: [],
    plainRequests: [],
    frames: [],
    passwordFields: [],
    url: 'http://example.com/app',
    lang: null,
    textLang: null,
    generator: null,
    referrerPolicy: null,
    language: null,
    words: 0,
    readability: null,
    jsonLd: [],
    tlsProtocol: null,
    cookies: ['given', 'kept'].map((name) => ({
      name,
      domain: 'example.com',
      isSecure: false,
      isHttpOnly: false,
      sameSite: null,
    })),
  };
  const question = {
    url: 'http://example.com/',
    device: 'mobile' as const,
    timeout: 1_000,
    categories: ['security' as const, 'content' as const],
    headers: {},
    cookies: { kept: '1' },
    verifyTls: true,
  };
  /** @param read which runs can read the page. */
  async function measureAll(read: boolean[], path = '/app', hasEndedScripts = false) {
    const job = {
      signal: new AbortController().signal,
      progress: async () => undefined,
      step: (_: string, fn: () => Promise<unknown>) => fn(),
      files: { write: async () => undefined },
    } as unknown as JobContext;
    const measured = { ...run, finalUrl: `http://example.com${path}`, filmstrip: [] };
    const tools = {
      openLease: () => lease,
      pageReader: smallPages,
      lighthouse: {
        measure: async () => {
          const page = read.shift() === true ? facts : null;
          return { run: measured, page, otherLoad: 0, screenshot: null, hasEndedScripts };
        },
      },
    };
    return await runReview({ ...question, runs: read.length }, job, tools as never);
  }
  const measure = async (...page: Parameters<typeof measureAll>) => (await measureAll(...page)).own;
  const evidenceOf = (found: OwnFindings, id: string) =>
    found?.issues.find((issue) => issue.id === id)?.evidence.map(({ value }) => value);

  test.each([
    ['target_too_large', 'unsupported_content'],
    ['overloaded', 'overloaded'],
  ] as const)(
    'is not known to be a bot challenge where reading it fails with %s: %s',
    async (failure, code) => {
      const tasks = { run: async () => await Promise.reject(new AppError(failure, '')) };
      const way = {
        openLease: () => lease,
        pageReader: createPageReader(tasks as unknown as TaskPool),
        signal: new AbortController().signal,
        owner: 'u',
      };
      const arriving = arriveAt({ ...question, url: 'http://example.com/long-refusal' }, way as never);
      await expect(arriving).rejects.toMatchObject({ code });
    },
  );

  test('is read by a later run where the first could not', async () => {
    expect(await measure([false, false])).toBeNull();
    expect((await measure([false, true]))?.scores.security).toEqual(expect.any(Number));
  });

  test('is said once to have asked for more than it may, however many runs there are', async () => {
    const { warnings } = gatherFindings(await measureAll([true, true]), ['security', 'content']);
    expect(warnings).toEqual([
      { code: 'requests_dropped', message: expect.stringContaining('; 3 of its requests were not made') },
    ]);
  });

  test('is said to have been measured without its scripts', async () => {
    const { warnings } = gatherFindings(await measureAll([true], '/app', true), ['security', 'content']);
    expect(warnings.map(({ code }) => code)).toEqual(['requests_dropped', 'scripts_ended']);
  });

  test('shares its title with other pages, not with itself, and links that refuse programs are not broken', async () => {
    const found = await measure([true]);
    const urlsOf = (id: string) =>
      found?.issues.find((issue) => issue.id === id)?.evidence.map(({ url }) => url?.slice(18));
    expect(urlsOf('title-duplicate')).toEqual(['/same']);
    expect(urlsOf('link-broken')).toEqual(['/400', '/501']);
  });

  test('is judged by the answer that it stands in, and not by cookies that the request has brought', async () => {
    const found = await measure([true]);
    expect(found?.passed.map(({ id }) => id)).toContain('nosniff-missing');
    expect(evidenceOf(found, 'cookie-not-secure')).toEqual([
      'given, no Secure, no HttpOnly, SameSite=Lax',
      'given, no Secure, no HttpOnly, no SameSite',
    ]);
    expect(found?.passed.map(({ id }) => id)).not.toContain('insecure-form');
    // Where that cannot be asked for, by the one that it came in.
    const byScript = await measure([true], '/no-such-page');
    expect(byScript?.issues.map(({ id }) => id)).toContain('nosniff-missing');
  });
});
