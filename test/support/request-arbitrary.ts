import fc from 'fast-check';
import type { ApiDocument, DocumentedOperation, Parameter, Schema } from './api-document.ts';
import { type ArbitraryOptions, arbitraryOf, oddTexts } from './schema-arbitrary.ts';

export interface GeneratedRequest {
  operationId: string;
  /** As the document has it. */
  path: string;
  method: string;
  /** Path and query as they are sent. `{id:3}` stands for the id of something that an earlier answer named. */
  target: string;
  headers: Record<string, string>;
  body: string | null;
  /** Nothing in it was spoilt on purpose. */
  isWhole: boolean;
}

type Spoil = (request: GeneratedRequest) => fc.Arbitrary<GeneratedRequest>;

const place = fc.oneof(
  { weight: 4, arbitrary: fc.nat(400).map((n) => `{id:${n}}`) },
  { weight: 1, arbitrary: fc.uuid() },
);

const spoilHeaders: Record<string, readonly string[]> = {
  Accept: ['text/csv', 'image/*', '*/*;q=0', 'application/json;q=0.1, image/webp', ';;;', 'image/svg+xml'],
  Prefer: ['wait=', 'wait=111', 'wait=-1', 'wait="0"', 'respond-async; x=1, wait=3', ',,,'],
  'Content-Type': [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'json',
  ],
  'Content-Encoding': ['gzip', 'br', 'identity', 'x'],
  'Idempotency-Key': ['k'.repeat(256), 'same', 'é', ' '],
  Cookie: ['', 'quarry.session_token=nonsense'],
  'X-API-Key': ['', 'svc_live_', 'nonsense', `svc_live_${'a'.repeat(50)}`],
  'If-None-Match': ['*', '"x"'],
  Range: ['bytes=0-0', 'bytes=99999999-', 'bytes=5-1', 'lines=1-2', 'bytes=0-1,3-4'],
  'X-Request-Id': ['a b', 'x'.repeat(300), 'fine-1'],
  Origin: ['https://elsewhere.example', 'null'],
};

const spoilHeader: Spoil = (request) =>
  fc
    .constantFrom(...Object.entries(spoilHeaders))
    .chain(([name, values]) => fc.constantFrom(...values).map((value) => [name, value] as const))
    .map(([name, value]) => ({ ...request, headers: { ...request.headers, [name]: value } }));

const bodies = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '42',
  '{"a":1}{"b":2}',
  '{"__proto__":{"url":"x"},"constructor":1}',
  '\ufeff{}',
  '['.repeat(20_000),
  `{"url":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
  `{"a":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`,
  'x'.repeat(1_100_000),
] as const;

const spoilBody: Spoil = (request) =>
  fc.constantFrom(...bodies).map((body) => ({ ...request, body: request.body === null ? null : body }));

/** One field that is missing, of another type, out of its bounds, odd or unknown. */
const spoilField: Spoil = (request) => {
  if (request.body === null) return spoilTarget(request);
  const fields = JSON.parse(request.body) as Record<string, unknown>;
  const odd = fc.oneof(fc.constantFrom<unknown>(...oddTexts, 1e308, -1, 0.5, null, [], {}), fc.jsonValue());
  const name = fc.constantFrom(...Object.keys(fields), 'unknown', 'url', 'id', 'waitFor', 'selector');
  return fc.record({ name, odd, drops: fc.boolean() }).map(({ name: field, odd: value, drops }) => {
    const { [field]: _dropped, ...rest } = fields;
    return {
      ...request,
      body: JSON.stringify(drops && field in fields ? rest : { ...rest, [field]: value }),
    };
  });
};

const spoilTarget: Spoil = (request) => {
  const value = fc.constantFrom(...oddTexts).map((text) => encodeURIComponent(text.toWellFormed()));
  const [path = ''] = request.target.split('?');
  const inPath = value.map((text) => path.replace(/\/[^/]*$/, `/${text}`));
  const inQuery = fc
    .tuple(fc.constantFrom('limit', 'cursor', 'status', 'operation', 'days', 'viewAs', 'x', 'id'), value)
    .map(([name, text]) => `${path}?${name}=${text}`);
  const strange = fc.constantFrom(
    `${path}/%E0%A4%A`,
    `${path}?%`,
    `${path}?limit=1&limit=2`,
    `${path}//`,
    `${path}/`,
  );
  return fc.oneof(inPath, inQuery, strange).map((target) => ({ ...request, target }));
};

const spoilMethod: Spoil = (request) =>
  fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE').map((method) => ({ ...request, method }));

const spoilers: readonly Spoil[] = [
  spoilField,
  spoilField,
  spoilField,
  spoilBody,
  spoilHeader,
  spoilTarget,
  spoilMethod,
];

/** What waits for something that never comes must not wait for the longest time that is allowed. */
function toQuickBody(body: unknown): string {
  const waits = typeof body === 'object' && body !== null && 'timeout' in body;
  return JSON.stringify(waits ? { ...body, timeout: 1_000 } : body);
}

export function createRequestArbitrary(document: ApiDocument, options: Pick<ArbitraryOptions, 'targetUrl'>) {
  const named = <Part>(parts: Record<string, Part>, reference: string) =>
    parts[reference.split('/').at(-1) ?? ''] as Part;
  const all: ArbitraryOptions = {
    ...options,
    resolve: (reference) => named<Schema>(document.components.schemas, reference),
  };

  function targetOf(path: string, parameters: readonly Parameter[]): fc.Arbitrary<string> {
    const inPath: fc.Arbitrary<Record<string, string>> = fc.record(
      Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, place])),
    );
    const query = parameters.filter((parameter) => parameter.in === 'query');
    const inQuery = fc.record(
      Object.fromEntries(query.map(({ name, schema }) => [name, arbitraryOf(schema, all).map(String)])),
      { requiredKeys: query.filter(({ required }) => required).map(({ name }) => name) },
    );
    return fc.tuple(inPath, inQuery).map(([names, values]) => {
      const search = new URLSearchParams(values as Record<string, string>).toString();
      return (
        path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => names[name] ?? '') + (search && `?${search}`)
      );
    });
  }

  /** A request as the document describes it. `Prefer` keeps the waits short. */
  function wholeRequest(
    path: string,
    method: string,
    operation: DocumentedOperation,
  ): fc.Arbitrary<GeneratedRequest> {
    const parameters = (operation.parameters ?? []).map((parameter) =>
      '$ref' in parameter ? named(document.components.parameters, parameter.$ref) : parameter,
    );
    const schema = operation.requestBody?.content['application/json']?.schema;
    const takes = (header: string) => parameters.some(({ name }) => name === header);
    const prefer = takes('Prefer') ? ['wait=0', 'respond-async', 'wait=1', 'wait=5'] : [''];
    const repeated = fc.constantFrom('', '', 'again-1', 'again-2');
    const key = takes('Idempotency-Key') ? fc.oneof(repeated, fc.uuid(), fc.uuid()) : fc.constant('');
    return fc
      .record({
        target: targetOf(path, parameters),
        body: schema === undefined ? fc.constant(null) : arbitraryOf(schema, all).map(toQuickBody),
        prefer: fc.constantFrom(...prefer),
        key,
      })
      .map(({ target, body, prefer: preference, key: idempotencyKey }) => ({
        operationId: operation.operationId,
        path,
        method: method.toUpperCase(),
        target,
        body,
        headers: {
          ...(body === null ? {} : { 'Content-Type': 'application/json' }),
          ...(preference === '' ? {} : { Prefer: preference }),
          ...(idempotencyKey === '' ? {} : { 'Idempotency-Key': idempotencyKey }),
        },
        isWhole: true,
      }));
  }

  /** Requests to every operation, about half of them spoilt. */
  const each = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      // A body has more that can be wrong.
      weight: operation.requestBody === undefined ? 1 : 4,
      arbitrary: wholeRequest(path, method, operation),
    })),
  );
  return fc.oneof(...each).chain((request) =>
    fc.oneof(
      fc.constant(request),
      fc.constantFrom(...spoilers).chain((spoil) => spoil({ ...request, isWhole: false })),
    ),
  );
}
