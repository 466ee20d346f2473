import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { type Origin, startOrigin } from '../support/egress-origin.ts';
import { type Service, startService } from '../support/service.ts';
import { createZip } from '../support/zip.ts';

const path = '/api/proxy/test/v1/word-count';
const docx = createZip({ '[Content_Types].xml': '<Types/>', 'word/document.xml': '<w:document/>' });
const xlsx = createZip({ '[Content_Types].xml': '<Types/>', 'xl/workbook.xml': '<workbook/>' });
const zip = createZip({ 'readme.txt': 'no document' });
const article = `<!doctype html><title>Slate</title><p>Slate is split, never sawn.`;

/** Bytes, and the type that they are sent with. */
const bodies: Record<string, [Buffer, string]> = {
  '/article': [Buffer.from(article), 'text/html'],
  '/table': [Buffer.from('name,age\nAda,36\n'), 'text/csv; charset=utf-8'],
  '/letter': [docx, 'application/octet-stream'],
  '/letter.html': [docx, 'text/html'],
  '/sheet': [xlsx, 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  '/archive': [zip, 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  '/report': [Buffer.from('%PDF-1.4 …'), 'application/pdf'],
};

let service: Service;
let origin: Origin;
beforeAll(async () => {
  service = await startService({ env: { EXTENSIONS: join(import.meta.dirname, '../support/operations') } });
  origin = await startOrigin((request, response) => {
    const [bytes, type] = bodies[request.url ?? ''] ?? [Buffer.from('<title>Just a moment...'), 'text/html'];
    const headers = request.url === '/wall' ? { 'cf-mitigated': 'challenge' } : {};
    response.writeHead(request.url === '/wall' ? 403 : 200, { 'content-type': type, ...headers }).end(bytes);
  });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await origin[Symbol.asyncDispose]();
});

const ask = (body: object, to = path) => call(to, { key: service.key, body }, service.url);

test('an operation that the API answers itself comes from an extension too, with its place in the reference', async () => {
  const greeted = await ask({ name: 'Ada' }, '/api/proxy/test/v1/greet');
  expect(greeted).toMatchObject({ status: 200, body: { data: { greeting: 'Good morning, Ada.' } } });
  const refused = await ask({ nme: 'Ada' }, '/api/proxy/test/v1/greet');
  expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  const { body } = await call('/openapi.json', { key: null }, service.url);
  expect(body['paths']).toHaveProperty(['/api/proxy/test/v1/greet', 'post', 'operationId'], 'test.greet');
});

test('an extension brings tools, presenters and error codes of its own', async () => {
  const square = (number: number) => ask({ number }, '/api/proxy/test/v1/square');
  const { status, body } = await square(12);
  expect([status, body['data']]).toEqual([200, { square: 144 }]);
  const refused = await square(Number.MAX_SAFE_INTEGER);
  expect(refused).toMatchObject({
    status: 422,
    body: { code: 'number_too_large', title: 'Number too large' },
  });
  const page = await fetch(new URL('/docs/errors', service.url));
  expect(await page.text()).toContain('The square of the number cannot be told exactly.');
});

test.each([
  ['/article', { kind: 'html', title: 'Slate', words: 5, documentBytes: null }],
  ['/table', { kind: 'csv', title: null, words: 3, documentBytes: null }],
  ['/letter', { kind: 'docx', title: null, words: null, documentBytes: docx.length }],
  ['/letter.html', { kind: 'docx', title: null, words: null, documentBytes: docx.length }],
  ['/sheet', { kind: 'xlsx', title: null, words: null, documentBytes: xlsx.length }],
  ['/report', { kind: 'pdf', title: null, words: null, documentBytes: bodies['/report']?.[0].length }],
])('an operation on a page gets what is at %s', async (at, data) => {
  const { status, body } = await ask({ url: new URL(at, origin.url).href });
  expect([status, body['data']]).toEqual([200, data]);
});

/** A file with the names of what it imports as they are from the project's folder, and of tests as if they were ours. */
function withFullImports(text: string, file: string): string {
  return text
    .replaceAll(/(?<=from ')\..*?(?=')/g, (name) => join(dirname(file), name))
    .replaceAll('test/support/operations/contracts', 'src/shared/contracts')
    .replaceAll('test/support/operations/handlers', 'src/workers/handlers');
}

test.each([
  ['src/shared/contracts', 'contracts'],
  ['src/workers/handlers', 'handlers'],
])(
  'the page operation that CONTRIBUTING writes out is the one that is tried here: %s',
  async (place, folder) => {
    const project = join(import.meta.dirname, '../..');
    const file = `${place}/web/word-count.ts`;
    const recipe = await readFile(join(project, 'CONTRIBUTING.md'), 'utf8');
    const [, written = ''] = recipe.split(`\`\`\`ts\n// ${file}\n`);
    const tried = `test/support/operations/${folder}/web/word-count.ts`;
    expect(withFullImports(written.slice(0, written.indexOf('```')), file)).toBe(
      withFullImports(await readFile(join(project, tried), 'utf8'), tried),
    );
  },
);

test('that operation answers JSON, the type that it declares, and errors', async () => {
  const askAs = (url: string, options: object = {}, accept = 'application/json') =>
    call(
      '/api/proxy/web/v1/word-count',
      { key: service.key, body: { url, ...options }, headers: { Accept: accept } },
      service.url,
    );
  const url = `${origin.url}article`;
  expect((await askAs(url)).body).toMatchObject({ data: { words: 5 } });
  const plain = await askAs(url, { minLength: 5 }, 'text/plain');
  expect([plain.status, plain.headers.get('content-type'), plain.body]).toEqual([
    200,
    'text/plain; charset=utf-8',
    '3',
  ]);
  expect(await askAs(url, {}, 'text/html')).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
  expect(await askAs(url, { minLength: 0 })).toMatchObject({
    status: 400,
    body: { code: 'invalid_request' },
  });
  expect((await askAs(`${origin.url}report`)).body).toMatchObject({ code: 'unsupported_content' });
  expect((await askAs(`${origin.url}wall`)).body).toMatchObject({ code: 'target_blocked' });
  const { body } = await call('/openapi.json', { key: null }, service.url);
  expect(body['paths']).toHaveProperty(
    ['/api/proxy/web/v1/word-count', 'post', 'operationId'],
    'web.word-count',
  );
});

test('a document comes out of the cache as it went in', async () => {
  const states = [];
  for (let round = 0; round < 2; round++) {
    const { body } = await ask({ url: `${origin.url}letter`, maxAge: 60_000 });
    expect(body['data']).toMatchObject({ kind: 'docx', documentBytes: docx.length });
    states.push(body['meta'].cache.state);
  }
  expect(states).toContain('hit');
});

test('a challenge is an error, and so is what is neither text nor a document', async () => {
  expect((await ask({ url: `${origin.url}wall` })).body).toMatchObject({
    status: 502,
    code: 'target_blocked',
  });
  expect((await ask({ url: `${origin.url}archive` })).body).toMatchObject({ code: 'unsupported_content' });
});

test('it has the options of all pages, and its own', async () => {
  expect((await ask({ url: `${origin.url}article`, minLength: 5, maxAge: 1_000 })).body).toMatchObject({
    data: { words: 3 },
  });
  for (const flaw of [{ minLength: 0 }, { timeout: 1 }, { unknown: 1 }, { render: 'http', waitFor: 'p' }])
    expect((await ask({ url: origin.url, ...flaw })).status).toBe(400);
});

test('its batch reads a list with the same options', async () => {
  const urls = [`${origin.url}article`, `${origin.url}wall`, 'nowhere'];
  const { body } = await ask({ urls, minLength: 5 }, `${path}/urls`);
  expect(body['data']).toMatchObject({
    succeeded: 1,
    failed: 2,
    results: [
      { ok: true, data: { words: 3 } },
      { ok: false, error: { code: 'target_blocked' } },
      { ok: false, error: { code: 'invalid_request' } },
    ],
  });
  expect((await ask({ urls: [...urls, 'fourth'] }, `${path}/urls`)).status).toBe(400);
});
