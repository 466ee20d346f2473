import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createTestKey } from '../support/service.ts';
import { startSite, type Site } from '../support/site.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const workspace = join(root, 'clients/typescript');

let site: Site;
let folder: string;
let env: NodeJS.ProcessEnv;

/** Builds and packs the client, and installs it into an empty project without asking a registry. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quarry-client-'));
  site = await startSite();
  await run(process.execPath, ['build.ts'], { cwd: workspace });
  await run('npm', ['pack', '--pack-destination', folder], { cwd: workspace });
  const [packed = ''] = await readdir(folder);
  await writeFile(join(folder, 'package.json'), '{"name":"empty","private":true,"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed}`], { cwd: folder });
  const { key } = await createTestKey(inject('stack').home, 'pro');
  env = { ...process.env, QUARRY_URL: inject('stack').url, QUARRY_API_KEY: key };
}, 240_000);
afterAll(async () => {
  await site.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs a program in the project that has the client, and answers what it prints as JSON. */
async function runScript(name: string, source: string, more: NodeJS.ProcessEnv = {}): Promise<any> {
  await writeFile(join(folder, name), source);
  const { stdout } = await run(process.execPath, [name], { cwd: folder, env: { ...env, ...more } });
  return JSON.parse(stdout);
}

const preface = `
import { createQuarry, iterate, QuarryProblem, verifyWebhook, WebhookError } from '@quarry/client';
const quarry = createQuarry({ baseUrl: process.env.QUARRY_URL, apiKey: process.env.QUARRY_API_KEY });
`;

async function quarry(...args: string[]) {
  const options = { cwd: folder, env };
  return await run(join(folder, 'node_modules/.bin/quarry'), args, options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

test('needs no other package', async () => {
  expect((await readdir(join(folder, 'node_modules'))).filter((name) => !name.startsWith('.'))).toEqual([
    '@quarry',
  ]);
});

test('works from JavaScript: results, pictures, lists and problems', async () => {
  const seen = await runScript(
    'use.mjs',
    `${preface}
const page = await quarry.web.convertMarkdown({ url: '${site.origin}/article' });
const shot = await quarry.web.screenshot({ url: '${site.origin}/article' });
const picture = await quarry.download(shot.data.imageUrl);
const ids = new Set();
for await (const job of iterate(quarry.jobs.list, { limit: 1 })) ids.add(job.id);
const problem = await quarry.web.scrape({ url: 'http://10.0.0.1/' }).catch((error) => error);
const failed = await quarry.web.scrape({ url: '${site.origin}/redirect-loop' }).catch((error) => error);
console.log(JSON.stringify({
  title: page.data.title, jobId: page.meta.jobId, bytes: picture.length, told: shot.data.bytes, jobs: ids.size,
  problem: [problem instanceof QuarryProblem, problem.code, problem.status, problem.jobId],
  failed: [failed.code, failed.jobId !== null],
}));`,
  );
  expect(seen).toMatchObject({
    title: 'How slate is split',
    jobId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    bytes: seen.told,
    problem: [true, 'url_not_allowed', 403, null],
    failed: ['too_many_redirects', true],
  });
  // Of pages of one job each: the markdown and the screenshot.
  expect(seen.jobs).toBe(2);
});

test('works from TypeScript, which knows fields, options and codes', async () => {
  const lines = [
    "import { createQuarry, iterate, QuarryProblem, type Job, type Output } from '@quarry/client';",
    "const quarry = createQuarry({ baseUrl: 'http://localhost:3000', apiKey: 'x' });",
    "const page: Output<'web.convert-markdown'> = await quarry.web.convertMarkdown({ url: 'https://example.com/', links: 'none' });",
    'const markdown: string = page.data.markdown;',
    "const info = await quarry.video.info({ url: 'https://example.com/video' });",
    'const seconds: number | null = info.data.durationSeconds;',
    "for await (const job of iterate(quarry.jobs.list, { status: 'failed' })) { const one: Job = job; void one.id; }",
    "for await (const entry of iterate(quarry.keys.audit, { id: 'x' })) void entry.action.length;",
    'for await (const delivery of iterate(quarry.webhooks.deliveries, {})) void delivery.attempts.length;',
    '// @ts-expect-error the id is missing',
    'void iterate(quarry.keys.audit, {});',
    'try { await quarry.web.profile(); } catch (error) {',
    "  if (error instanceof QuarryProblem && error.code === 'rate_limited') void error.retryAfterSeconds?.toFixed();",
    '}',
    '// @ts-expect-error no such option',
    "await quarry.web.scrape({ url: 'https://example.com/', colour: 'red' });",
    '// @ts-expect-error the URL is missing',
    'await quarry.web.scrape({});',
    '// @ts-expect-error no such field',
    'void page.data.nothing;',
    'void [markdown, seconds];',
  ];
  await mkdir(join(folder, 'typed'), { recursive: true });
  await writeFile(join(folder, 'typed/use.ts'), lines.join('\n'));
  const options = { strict: true, module: 'NodeNext', target: 'ES2022', lib: ['ES2023', 'DOM'], types: [] };
  await writeFile(
    join(folder, 'typed/tsconfig.json'),
    JSON.stringify({ compilerOptions: { ...options, noEmit: true, exactOptionalPropertyTypes: true } }),
  );
  const compiler = join(workspace, 'node_modules/typescript/lib/tsc.js');
  const { stdout } = await run(process.execPath, [compiler, '-p', 'typed'], { cwd: folder });
  expect(stdout).toBe('');
}, 120_000);

test('waits for a job that goes on, and tells of it meanwhile', async () => {
  const seen = await runScript(
    'wait.mjs',
    `${preface}
const states = [];
const own = createQuarry({
  baseUrl: process.env.QUARRY_URL,
  apiKey: process.env.QUARRY_API_KEY,
  fetch: (url, init) => fetch(url, { ...init, headers: { ...init?.headers, Prefer: 'respond-async' } }),
});
const page = await own.web.scrape({ url: '${site.origin}/slow?wait=1500' }, { onProgress: (job) => states.push(job.status) });
console.log(JSON.stringify({ status: page.data.statusCode, jobId: page.meta.jobId, states }));`,
  );
  expect(seen).toMatchObject({ status: 200, jobId: expect.any(String) });
  expect(seen.states.at(-1)).toBe('succeeded');
  expect(seen.states.length).toBeGreaterThan(1);
});

test('tells answers of other forms as they are: refused keys, a service that is down, what is no Quarry', async () => {
  const asked: string[] = [];
  await using odd = createServer((request, response) => {
    asked.push(request.url ?? '');
    const [status, body] = {
      '/api/keys/validate': [401, '{"valid":false,"error":"The key was revoked.","code":"key_revoked"}'],
      '/api/proxy/web/v1/healthz': [503, '{"data":{"status":"down"},"meta":{}}'],
      '/api/audit': [200, '{"entries":[{"id":"a"}],"nextCursor":"x"}'],
      '/api/audit?cursor=x': [200, '{"entries":[{"id":"b"}],"nextCursor":null}'],
    }[request.url ?? ''] ?? [200, '<p>Sign in to the network</p>'];
    response.writeHead(Number(status)).end(body);
  }).listen(0, '127.0.0.1');
  await once(odd, 'listening');
  const seen = await runScript(
    'odd.mjs',
    `${preface}
const tell = (promise) => promise.catch((error) => [error instanceof QuarryProblem, error.code, error.detail]);
const entries = [];
for await (const { id } of iterate(quarry.audit.list, {})) entries.push(id);
console.log(JSON.stringify([
  await tell(quarry.keys.validate()),
  (await quarry.web.healthz()).data.status,
  await tell(quarry.web.profile()),
  entries,
]));`,
    { QUARRY_URL: `http://127.0.0.1:${(odd.address() as AddressInfo).port}` },
  );
  expect(seen).toEqual([
    [true, 'key_revoked', 'The key was revoked.'],
    'down',
    [true, 'invalid_request', expect.stringContaining('no result of Quarry')],
    ['a', 'b'],
  ]);
  expect(asked).toHaveLength(5);
});

describe('what may work later', () => {
  let flaky: Server;
  const requests: { key: string | undefined; status: number }[] = [];
  beforeAll(async () => {
    const answers = [
      { status: 503, code: 'overloaded', retryable: true, retryAfterSeconds: 0 },
      null,
      { status: 429, code: 'rate_limited', retryable: true, retryAfterSeconds: 0 },
    ];
    flaky = createServer((request, response) => {
      const answer = answers[requests.length];
      requests.push({ key: request.headers['idempotency-key'] as string, status: answer?.status ?? 0 });
      if (answer === null) return void request.socket.destroy();
      const body = answer === undefined ? { data: { url: 'x' }, meta: {} } : { ...answer, detail: 'Later.' };
      response
        .writeHead(answer?.status ?? 200, { 'Content-Type': 'application/json' })
        .end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(flaky, 'listening');
  });
  afterAll(() => void flaky.close());

  test('is sent again with the same Idempotency-Key', async () => {
    const url = `http://127.0.0.1:${(flaky.address() as AddressInfo).port}`;
    const seen = await runScript(
      'again.mjs',
      `${preface}console.log(JSON.stringify(await quarry.web.scrape({ url: 'https://example.com/' })));`,
      { QUARRY_URL: url },
    );
    expect(seen.data).toEqual({ url: 'x' });
    expect(requests.map(({ status }) => status)).toEqual([503, 0, 429, 0]);
    expect(new Set(requests.map(({ key }) => key)).size).toBe(1);
    expect(requests[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('what may have been done is not sent again, where no key would tell that it was', async () => {
  let requests = 0;
  await using cut = createServer((request) => {
    requests++;
    request.socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(cut, 'listening');
  const seen = await runScript(
    'once.mjs',
    `${preface}console.log(JSON.stringify(await quarry.keys.create({ name: 'x' }).catch((error) => error.name)));`,
    { QUARRY_URL: `http://127.0.0.1:${(cut.address() as AddressInfo).port}` },
  );
  expect({ seen, requests }).toEqual({ seen: 'TypeError', requests: 1 });
});

test('what a page says does not steer the terminal, and is left as it is in a pipe', async () => {
  const markdown = 'a\u001b]52;c;eA==\u0007b\u009b2J\tc\r\nd\u007f\n';
  await using own = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: { markdown }, meta: {} }));
  }).listen(0, '127.0.0.1');
  await once(own, 'listening');
  const server = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
  const print = async (more: NodeJS.ProcessEnv) =>
    (
      await run(join(folder, 'node_modules/.bin/quarry'), ['markdown', site.origin, '--server', server], {
        cwd: folder,
        env: { ...env, ...more },
      })
    ).stdout;
  const onTerminal = { NODE_OPTIONS: '--import data:text/javascript,process.stdout.isTTY=true' };
  expect(await print(onTerminal)).toBe('a\ufffd]52;c;eA==\ufffdb\ufffd2J\tc\nd\ufffd\n');
  expect(await print({})).toBe(markdown);
});

test('verifies webhooks as the package standardwebhooks signs them', async () => {
  const secret = `whsec_${Buffer.from('a secret of thirty-two characters').toString('base64')}`;
  const body = '{"type":"job.succeeded","timestamp":"2026-11-22T06:00:00.000Z","data":{"id":"x"}}';
  const signedAt = (time: Date) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(time.getTime() / 1_000)),
    'webhook-signature': `v1,AAAA v1,A v1,A=== v1 ${new Webhook(secret).sign('msg_1', time, body)}`,
  });
  const seen = await runScript(
    'webhook.mjs',
    `${preface}
const { secret, body, now, old } = JSON.parse(process.env.SIGNED);
const tell = (promise) => promise.then((event) => event.type, (error) => error instanceof WebhookError);
console.log(JSON.stringify([
  await tell(verifyWebhook(secret, now, body)),
  await tell(verifyWebhook(secret, new Headers(now), body)),
  await tell(verifyWebhook(secret, now, body + ' ')),
  await tell(verifyWebhook(secret, old, body)),
  await tell(verifyWebhook(secret, {}, body)),
  await tell(verifyWebhook(secret, { ...now, 'webhook-signature': 'v1,A' }, body)),
  await tell(verifyWebhook('whsec_?', now, body)),
]));`,
    {
      SIGNED: JSON.stringify({
        secret,
        body,
        now: signedAt(new Date()),
        old: signedAt(new Date(Date.now() - 600_000)),
      }),
    },
  );
  expect(seen).toEqual(['job.succeeded', 'job.succeeded', true, true, true, true, true]);
});

describe('the command line', () => {
  test('prints JSON into a pipe, and no progress', async () => {
    const { code, stdout, stderr } = await quarry('scrape', `${site.origin}/article`, '--formats', 'text');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout).data.title).toBe('How slate is split');
    const jobs = JSON.parse((await quarry('jobs', '--limit', '1')).stdout) as { id: string }[];
    expect(jobs).toHaveLength(1);
    const job = JSON.parse((await quarry('jobs', jobs[0]?.id ?? '')).stdout);
    expect(job.data).toMatchObject({ operation: 'web.scrape', status: 'succeeded' });
  });

  test('prints markdown, and writes pictures', async () => {
    expect((await quarry('markdown', `${site.origin}/article`)).stdout).toContain(
      'Slate is split, never sawn.',
    );
    const path = join(folder, 'page.webp');
    expect((await quarry('screenshot', `${site.origin}/article`, '-o', path)).code).toBe(0);
    expect((await readFile(path)).subarray(8, 12).toString()).toBe('WEBP');
  });

  test('ends without a word where nobody reads on', async () => {
    const program = spawn(join(folder, 'node_modules/.bin/quarry'), ['jobs'], { cwd: folder, env });
    program.stdout.destroy();
    let told = '';
    program.stderr.on('data', (part: Buffer) => (told += part.toString()));
    const [code] = await once(program, 'close');
    expect({ code, told }).toEqual({ code: 0, told: '' });
  });

  test('says what is wrong, and ends with a status that tells it', async () => {
    const refused = await quarry('scrape', 'http://10.0.0.1/');
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/^url_not_allowed: /) });
    expect(await quarry('screenshot', 'x', '-o', 'page.gif')).toMatchObject({ code: 2 });
    expect(await quarry('jobs', '--cancel')).toMatchObject({ code: 2 });
    expect(await quarry('toString')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no'),
    });
    expect(await quarry('scrape', '--colour')).toMatchObject({ code: 2 });
  });
});
