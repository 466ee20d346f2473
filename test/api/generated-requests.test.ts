import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  type ApiDocument,
  createDocumentCheck,
  type DocumentCheck,
  type SeenAnswer,
} from '../support/api-document.ts';
import { call } from '../support/client.ts';
import { callRaw } from '../support/raw-call.ts';
import { createRequestArbitrary, type GeneratedRequest } from '../support/request-arbitrary.ts';
import { createTestKey, readServiceLogs } from '../support/service.ts';
import { createSignedIn, type SignedIn } from '../support/session.ts';
import { startSite, type Site } from '../support/site.ts';

const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
const count = Number(process.env['REQUESTS'] ?? 2_000);
const atOnce = 16;

let site: Site;
let key: string;
let signedIn: SignedIn;
let licensee: SignedIn;
beforeAll(async () => {
  site = await startSite();
  ({ key } = await createTestKey(inject('stack').home, 'scale'));
  signedIn = await createSignedIn({ plan: 'scale', admin: true });
  licensee = await createSignedIn();
});
afterAll(async () => {
  await cancelJobs();
  await site.close();
});

/** What the requests have left running must not slow the tests that follow. */
async function cancelJobs(): Promise<void> {
  for (const status of ['queued', 'running']) {
    for (;;) {
      const { body } = await call(`/api/proxy/jobs?limit=100&status=${status}`, { key });
      const jobs: { id: string }[] = body['data'].jobs;
      if (jobs.length === 0) break;
      await Promise.all(jobs.map(({ id }) => call(`/api/proxy/jobs/${id}`, { method: 'DELETE', key })));
    }
  }
}

/** Pages that are soon read, and targets that are refused before any work. */
function targetUrls(): fc.Arbitrary<string> {
  const pages = [
    '/article',
    '/status?code=404',
    '/redirect?to=/article',
    '/echo',
    '/empty-error',
    '/hang-up',
  ];
  const refused = [
    'http://10.0.0.1/',
    'http://[::1]/',
    'ftp://example.com/',
    'http://a:b@example.com/',
    'no url',
  ];
  return fc.oneof(
    fc.constantFrom(...pages).map((path) => site.origin + path),
    fc.constantFrom('http://127.0.0.1:9/', ...refused),
  );
}

/**
 * Ids that answers have named: for `/x/{id}` those that `/x` has made or listed, else any job's. Admins' calls go
 * to one user only, not to those of other tests.
 */
function createIds(userId: string) {
  const ids = new Map<string, string[]>();
  return {
    take: (target: string) =>
      target.replaceAll(/\{id:(\d+)\}/g, (_all, n: string, at: number) => {
        if (target.startsWith('/api/admin/')) return userId;
        const known = ids.get(target.slice(0, at - 1)) ?? [];
        return known[Number(n) % known.length] ?? randomUUID();
      }),
    note(target: string, answer: SeenAnswer) {
      const id = answer.headers['x-job-id'] ?? /"id":"([0-9a-f-]{36})"/.exec(answer.body.toString())?.[1];
      const [path = ''] = target.split('?');
      if (id !== undefined && answer.status < 300) ids.set(path, [...(ids.get(path) ?? []), id]);
    },
  };
}

/** What is wrong with an answer, whatever it says. */
function flawsOf(
  check: DocumentCheck,
  { method, target, body }: GeneratedRequest,
  answer: SeenAnswer,
): string[] {
  const path = check.findPath(method, target);
  const flaws = path === undefined ? [] : check.answerFlaws(path, method, answer);
  if (answer.status === 500) flaws.push('500');
  // A byte order mark may be ignored (RFC 8259, 8.1).
  const wasRead =
    path !== undefined && answer.status < 300 && body !== null && method !== 'GET' && method !== 'DELETE';
  if (!wasRead) return flaws;
  return [...flaws, ...check.bodyFlaws(path, method, JSON.parse(body.replace(/^\ufeff/, '') || '{}'))];
}

/** The service's processes that have logged so far: one more is one that was started again after a crash. */
async function processIds(): Promise<string[]> {
  const logs = await readServiceLogs(inject('stack').home);
  return [...new Set(logs.match(/"name":"[^"]+","pid":\d+/g))].sort();
}

/** What the processes have said beside their usual lines, e.g. why one ended. */
async function lastWords(): Promise<string> {
  const lines = (await readServiceLogs(inject('stack').home)).split('\n');
  return lines
    .filter((line) => line !== '' && !/^\{"level":[34]0/.test(line))
    .slice(-30)
    .join('\n');
}

/** The results of jobs that were not waited for. */
async function resultFlaws(check: DocumentCheck): Promise<string[]> {
  const { body } = await call('/api/proxy/jobs?limit=100&status=succeeded', { key });
  const jobs: { id: string }[] = body['data'].jobs;
  expect(jobs.length).toBeGreaterThan(0);
  const flaws = jobs.map(async ({ id }) => {
    const { operation, result } = (await call(`/api/proxy/jobs/${id}`, { key })).body['data'];
    return result === undefined
      ? []
      : check.resultFlaws(operation, result).map((flaw) => `${operation}: ${flaw}`);
  });
  return (await Promise.all(flaws)).flat();
}

test(`${count} generated requests to every operation, whole and spoilt: no 500, and every answer as documented`, async () => {
  const { url } = inject('stack');
  const processesBefore = await processIds();
  const document = (await call<ApiDocument>('/openapi.json', { key: null })).body;
  const check = createDocumentCheck(document);
  // Sign-out would end the session that the other requests use.
  const paths = Object.entries(document.paths).filter(([path]) => !path.startsWith('/api/auth/'));
  const generate = (asked: typeof paths, numRuns: number) =>
    fc.sample(
      createRequestArbitrary({ ...document, paths: Object.fromEntries(asked) }, { targetUrl: targetUrls() }),
      { seed, numRuns },
    );
  const ids = createIds(licensee.userId);
  const flawed: unknown[] = [];
  /** Of each operation, how its whole requests were refused; null of one that got through. */
  const refusals = new Map<string, (string | null)[]>();

  async function run(generated: GeneratedRequest): Promise<void> {
    const headers = { 'X-API-Key': key, Cookie: signedIn.cookie, ...generated.headers };
    const request = { ...generated, target: ids.take(generated.target), headers };
    const answer = await callRaw(url, request).catch(async (error: unknown) => {
      const sent = JSON.stringify(request).slice(0, 1_000);
      throw new Error(`SEED=${seed}: no answer to ${sent}\n${await lastWords()}`, { cause: error });
    });
    ids.note(request.target, answer);
    const { operationId, isWhole, method, target, body } = request;
    // A 400 of the operation's own, such as `platform_unsupported`, has got through.
    const isInvalid = answer.status === 400 && answer.body.includes('"invalid_request"');
    const isRefused = answer.status === 401 || isInvalid;
    const refusal = isRefused ? `${body?.slice(0, 300)} ${answer.body.toString().slice(0, 500)}` : null;
    if (isWhole) refusals.set(operationId, [...(refusals.get(operationId) ?? []), refusal]);
    const flaws = flawsOf(check, request, answer);
    if (flaws.length === 0) return;
    const shown = { method, target, headers: generated.headers, body: body?.slice(0, 300) };
    flawed.push({ flaws, ...shown, answer: answer.body.toString().slice(0, 500) });
  }

  async function runAll(requests: GeneratedRequest[]): Promise<void> {
    const waiting = requests.values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const request of waiting) await run(request);
      }),
    );
  }
  const findUnreached = () => [...refusals].filter(([, all]) => !all.includes(null));

  await runAll(generate(paths, count));
  // Of an operation that was asked once or twice bad luck may be the reason, an address of ftp:, say.
  const unlucky = new Set(findUnreached().map(([operationId]) => operationId));
  const askedAgain = paths.filter(([, methods]) =>
    Object.values(methods).some(({ operationId }) => unlucky.has(operationId)),
  );
  if (askedAgain.length > 0) await runAll(generate(askedAgain, 100));

  const again = `SEED=${seed} npx vitest run test/api/generated-requests.test.ts`;
  expect(flawed.slice(0, 20), `${flawed.length} answers; again with ${again}`).toEqual([]);
  expect(await resultFlaws(check), `results of jobs; again with ${again}`).toEqual([]);
  expect((await call('/readyz', { key: null })).status).toBe(200);
  expect(await processIds(), `${await lastWords()}; again with ${again}`).toEqual(processesBefore);
  expect(findUnreached(), `operations that no whole request got through to; again with ${again}`).toEqual([]);
}, 600_000);
