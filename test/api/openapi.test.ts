import { Validator } from '@seriousme/openapi-schema-validator';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { loadCatalog } from '../../src/shared/catalog.ts';
import { errorKinds } from '../../src/shared/errors.ts';
import {
  type ApiDocument,
  createDocumentCheck,
  type DocumentedOperation,
  type Parameter,
  type Schema,
} from '../support/api-document.ts';
import { call } from '../support/client.ts';
import { callRaw } from '../support/raw-call.ts';
import { rivalsOf } from '../support/schema-arbitrary.ts';
import { createTestKey } from '../support/service.ts';
import { createSignedIn, signIn } from '../support/session.ts';

let document: ApiDocument;
let operations: { path: string; method: string; operation: DocumentedOperation }[];
const { operations: contracts } = await loadCatalog();
const routed = contracts.filter((contract) => contract.route !== null);

beforeAll(async () => {
  document = (await call<ApiDocument>('/openapi.json', { key: null })).body;
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
});

const find = (id: string) => operations.find(({ operation }) => operation.operationId === id)!;

const parametersOf = (operation: DocumentedOperation) =>
  (operation.parameters ?? []).map((parameter) =>
    '$ref' in parameter ? document.components.parameters[parameter.$ref.split('/').at(-1) ?? '']! : parameter,
  );

function bodyOf(operation: DocumentedOperation): Schema | undefined {
  const schema = operation.requestBody?.content['application/json']?.schema;
  return schema?.$ref === undefined
    ? schema
    : document.components.schemas[schema.$ref.split('/').at(-1) ?? ''];
}

/** The codes that a document tells for one status. */
function codesOf(operation: DocumentedOperation, status: number): string[] {
  const schema = operation.responses[status]?.content?.['application/problem+json']?.schema;
  return (schema?.properties?.['code']?.['enum'] ?? []) as string[];
}

describe('the document', () => {
  test('is OpenAPI 3.1 in the eyes of an independent validator', async () => {
    const validator = new Validator();
    expect(await validator.validate({ ...document })).toEqual({
      valid: true,
    });
    expect(validator.version).toBe('3.1');
  });

  test('needs no key, and a client that has it is told so', async () => {
    const first = await call('/openapi.json', { key: null });
    expect(first.status).toBe(200);
    expect(first.headers.get('content-type')).toMatch(/^application\/json/);
    expect(first.headers.get('content-encoding')).toBe('gzip');
    expect(first.headers.get('vary')).toContain('Accept-Encoding');
    const again = await call('/openapi.json', {
      key: null,
      headers: { 'If-None-Match': first.headers.get('etag') ?? '' },
    });
    expect(again.status).toBe(304);
  });

  test('has every operation with a route under its path and method, and the internal ones not', () => {
    const documented = operations.map(
      ({ path, method, operation }) => `${operation.operationId} ${method} ${path}`,
    );
    const declared = routed.map(({ id, route }) => `${id} ${route?.method.toLowerCase()} ${route?.path}`);
    expect(documented.filter((line) => !/^(system|auth)\./.test(line)).sort()).toEqual(declared.sort());
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/livez', '/readyz', '/files/{id}', '/openapi.json']),
    );
  });

  test('says of files by link that they can be refused for a while, and for good', () => {
    const { get } = document.paths['/files/{id}'] as Record<string, { responses: Record<string, unknown> }>;
    const told = JSON.stringify(get?.responses['503']);
    for (const code of ['unavailable', 'overloaded', 'not_configured']) expect(told).toContain(code);
  });

  test('says of every operation what it does, in a line and in a sentence', () => {
    const silent = operations.filter(({ operation }) => !operation.summary || !operation.description);
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  test('refers to nothing that is not there', () => {
    const references = JSON.stringify(document).match(/"#\/[^"]+"/g) ?? [];
    expect(references.length).toBeGreaterThan(50);
    for (const reference of new Set(references.map((text) => JSON.parse(text) as string))) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);
      expect(found, reference).toBeDefined();
    }
  });
});

describe.each(routed.map((contract) => [contract.id, contract] as const))('%s', (id, contract) => {
  const hasBody = ['POST', 'PUT', 'PATCH'].includes(contract.route?.method ?? '');

  test('tells every option with what it is for, and refuses what it does not tell', () => {
    const { operation } = find(id);
    const body = bodyOf(operation);
    const own = parametersOf(operation).filter((parameter) => parameter.in !== 'header');
    const names = [...own.map(({ name }) => name), ...Object.keys(body?.properties ?? {})];
    const shape = 'shape' in contract.input ? Object.keys(contract.input.shape as object) : names;
    expect(names.sort()).toEqual(shape.sort());
    expect(body !== undefined).toBe(hasBody);
    if (body !== undefined) expect(body['additionalProperties']).toBe(false);
    const silent = [
      ...own.filter((parameter) => !isTold(parameter)).map(({ name }) => name),
      ...Object.entries(body?.properties ?? {}).flatMap(([name, schema]) =>
        isTold({ schema, ...schema }) ? [] : [name],
      ),
    ];
    expect(silent, 'inputs without a description').toEqual([]);
  });

  test('has an example that fits, where it takes a body', () => {
    const { operation, path, method } = find(id);
    const content = operation.requestBody?.content['application/json'];
    if (content === undefined) return;
    expect(content.example).toBeDefined();
    expect(createDocumentCheck(document).bodyFlaws(path, method, content.example)).toEqual([]);
  });

  test('tells its own error codes, and those of its kind, under their status', () => {
    const { operation } = find(id);
    const refuses = contract.runs === 'api' && contract.refusal === 'invalid';
    const own = contract.errors.filter((code) => !(refuses && errorKinds[code].status === 401));
    for (const code of [...own, 'invalid_request', 'not_acceptable', 'internal_error'] as const) {
      expect(codesOf(operation, errorKinds[code].status), code).toContain(code);
    }
    expect(codesOf(operation, 415).length > 0).toBe(hasBody);
    expect(operation.responses[401]).toBeDefined();
  });

  test('tells how it is asked and answered: key or session, the 202, headers', () => {
    const { operation } = find(id);
    const schemes = operation.security.flatMap((entry) => Object.keys(entry));
    const ways = contract.runs === 'queue' ? ['key'] : contract.access;
    const usesSession = ways.some((way) => way !== 'key');
    expect(schemes).toEqual([
      ...(ways.includes('key') ? ['ApiKey', 'Bearer'] : []),
      ...(usesSession ? ['Session'] : []),
    ]);
    const headers = new Set(
      parametersOf(operation).flatMap(({ name, in: place }) => (place === 'header' ? [name] : [])),
    );
    const isQueued = contract.runs === 'queue';
    expect(headers.has('Prefer')).toBe(isQueued || contract.waits);
    expect(headers.has('Idempotency-Key')).toBe(isQueued && contract.route?.method === 'POST');
    expect('202' in operation.responses).toBe(isQueued);
    if (!isQueued) return;
    expect(Object.keys(operation.responses['202']?.headers ?? {})).toEqual(
      expect.arrayContaining(['Location', 'Retry-After', 'X-Job-Id', 'RateLimit', 'Cache-Control']),
    );
    expect(codesOf(operation, 429)).toEqual(expect.arrayContaining(['rate_limited', 'too_many_jobs']));
  });
});

test('Retry-After is told of the answers that carry it, and of no other', () => {
  const telling = operations.flatMap(({ operation }) =>
    Object.entries(operation.responses).flatMap(([status, { headers }]) =>
      'Retry-After' in headers ? [status] : [],
    ),
  );
  // 406: of a picture that is not there yet.
  expect([...new Set(telling)].sort()).toEqual(['202', '406', '429', '503']);
});

/** The same request in the eyes of the document and of the service. */
test.each<[string, string, Record<string, unknown>]>([
  [
    'a wait that takes a browser',
    '/scrape',
    { url: 'https://example.com/', render: 'http', waitFor: 'load' },
  ],
  ['the same of many', '/scrape/urls', { urls: ['https://example.com/'], render: 'http', waitFor: 'load' }],
  ['a wait of more than a minute', '/scrape', { url: 'https://example.com/', waitFor: '060001' }],
  [
    'a header of the transport',
    '/scrape',
    { url: 'https://example.com/', headers: { 'proxy-Connection': 'x' } },
  ],
  ['another scheme', '/screenshot', { url: 'ftp://example.com/' }],
  ['no host', '/screenshot', { url: 'https:///x' }],
  ['a backslash for a slash', '/url/is-alive', { url: 'https:/\\example.com/' }],
])('%s is refused by both', async (_what, end, body) => {
  const path = `/api/proxy/web/v1${end}`;
  expect(createDocumentCheck(document).bodyFlaws(path, 'POST', body)).not.toEqual([]);
  expect((await call(path, { body })).body).toMatchObject({ status: 400, code: 'invalid_request' });
});

/** What is sent with one more option, and without what this one stands in the place of. */
function withOption(schema: Schema | undefined, whole: object | undefined, name: string, example: unknown) {
  const rivals = schema === undefined ? [] : rivalsOf(schema);
  const kept = Object.entries(whole ?? {}).filter(([one]) => !rivals.includes(name) || !rivals.includes(one));
  return { ...Object.fromEntries(kept), [name]: example };
}

test('every option has a default or an example that can be sent', async () => {
  const check = createDocumentCheck(document);
  const isShown = (schema: Schema): boolean =>
    ['default', 'examples', 'enum'].some((name) => name in schema) ||
    schema.type === 'boolean' ||
    ('items' in schema && isShown(schema['items'] as Schema));
  for (const { operation, path, method } of operations) {
    const options = bodyOf(operation)?.properties ?? {};
    const parameters = parametersOf(operation)
      .filter((one) => !('example' in one))
      .map(({ name, schema }) => [name, schema] as const);
    const unshown = [...Object.entries(options), ...parameters].filter(([, schema]) => !isShown(schema));
    expect(
      unshown.map(([name]) => name),
      `${operation.operationId} without an example`,
    ).toEqual([]);
    const whole = operation.requestBody?.content['application/json']?.example as object | undefined;
    for (const [name, { examples = [] }] of Object.entries(options)) {
      for (const example of examples as unknown[]) {
        const flaws = check.bodyFlaws(path, method, withOption(bodyOf(operation), whole, name, example));
        expect(flaws, `${operation.operationId} ${name}`).toEqual([]);
      }
    }
  }
});

test('the example of every call and option is accepted as it stands', async () => {
  const { key } = await createTestKey(inject('stack').home, 'scale');
  const queued = operations.filter(({ operation }) => '202' in operation.responses && operation.requestBody);
  const askAll = async ({ operation, path }: (typeof queued)[number]) => {
    const whole = operation.requestBody?.content['application/json']?.example as object;
    const options = Object.entries(bodyOf(operation)?.properties ?? {});
    const bodies = options.flatMap(([name, { examples = [] }]) =>
      (examples as unknown[]).map((example) => withOption(bodyOf(operation), whole, name, example)),
    );
    for (const body of [whole, ...bodies]) {
      const answer = await call(path, { key, body, headers: { Prefer: 'respond-async' } });
      expect(answer.status, `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`).toBe(202);
      await call(answer.headers.get('location') ?? '', { method: 'DELETE', key });
    }
  };
  await Promise.all(queued.map(askAll));
}, 240_000);

test('sign-in answers as documented: a session from its beginning to its end', async () => {
  const { email, password } = await createSignedIn();
  const check = createDocumentCheck(document);
  const ask = async (method: string, end: string, cookie: string, body?: object) => {
    const answer = await callRaw(inject('stack').url, {
      method,
      target: `/api/auth/${end}`,
      headers: { Cookie: cookie, ...(body && { 'Content-Type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    expect(check.answerFlaws(`/api/auth/${end}`, method, answer), `${end} ${answer.body}`).toEqual([]);
    return answer.status;
  };
  const newPassword = `${password}-2`;
  const cookie = await signIn(email, password);
  expect(await ask('POST', 'sign-in/email', '', { email, password })).toBe(200);
  expect(await ask('POST', 'sign-in/email', '', { email, password: 'wrong' })).toBe(401);
  expect(await ask('POST', 'sign-up/email', '', { name: 'New', email: 'n@quarry.test', password })).toBe(403);
  expect(await ask('GET', 'get-session', cookie)).toBe(200);
  expect(await ask('POST', 'change-password', cookie, { currentPassword: password, newPassword })).toBe(200);
  expect(await ask('POST', 'sign-out', cookie, {})).toBe(200);
  expect(await ask('GET', 'get-session', cookie)).toBe(200);
});

/** Said in words, or by what it can be. */
function isTold({ description, schema }: Pick<Parameter, 'schema'> & { description?: unknown }): boolean {
  return typeof description === 'string' || 'enum' in schema;
}
