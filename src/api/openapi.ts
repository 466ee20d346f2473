import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { Catalog } from '../shared/catalog.ts';
import type { Operation } from '../shared/operation.ts';
import { version } from '../shared/version.ts';
import type { ApiDeps } from './deps.ts';
import type { ApiContext } from './http/context.ts';
import { isKnown } from './http/send-file.ts';
import { describeAuthPaths } from './openapi/auth-paths.ts';
import { headerComponents } from './openapi/headers.ts';
import { describeRequest } from './openapi/request.ts';
import { describeResponses } from './openapi/responses.ts';
import { createSchemaComponents, type JsonSchema, type SchemaComponents } from './openapi/schemas.ts';
import { describeSystemPaths } from './openapi/system-paths.ts';

export interface OpenApiOptions {
  catalog: Pick<Catalog, 'operations'>;
  /** Where clients reach the service; undefined: the host that the document was read from. */
  publicUrl: string | undefined;
  sessionCookie: string;
}

const about = `Requests and answers are JSON in UTF-8; a body is at most 1 MiB, in 16,384 pieces, with 20,000 values in 64 levels, to sign in 16 KiB, and fields, query parameters and
values that are not described are refused, as are bytes that are no UTF-8, NUL characters and half surrogate pairs.
Where a path ends in a slash, it is the path without it. Failures are RFC 9457 problems with a stable \`code\`.

A call that takes a worker answers 200 if it ends within the wait, else 202 with the job, which goes on;
\`Prefer: respond-async\` or \`Prefer: wait=N\` sets the wait. \`Accept\` chooses among the media types of an answer.

Models reach the same operations by the Model Context Protocol at \`/mcp\` (Streamable HTTP, the key as a bearer token).`;

const header = (name: string, description: string, schema: JsonSchema, example: string) => ({
  name,
  in: 'header',
  required: false,
  description,
  // Not an `example` of the parameter: the viewer would send it with each call that is tried.
  schema: { ...schema, examples: [example] },
});

const parameters = {
  RequestId: header(
    'X-Request-Id',
    'Names the request in answers and logs. At most 128 letters, digits and `._:/+=-`; anything else is replaced.',
    { type: 'string' },
    'order-4711',
  ),
  Prefer: header(
    'Prefer',
    'RFC 7240: `respond-async` answers 202 at once; `wait=N` waits N seconds, 0 to 110.',
    { type: 'string' },
    'respond-async',
  ),
  IdempotencyKey: header(
    'Idempotency-Key',
    'The same key with the same request within 24 hours joins the first job or repeats its answer, uncounted; ' +
      'with another request it is refused.',
    { type: 'string', minLength: 1, maxLength: 255 },
    'e2f1a6f0-6f0c-4a57-9d1e-2b7c5a1f0c3d',
  ),
  WebhookUrl: header(
    'X-Webhook-Url',
    'Where the end of the job is told: a POST of `{type: "job.succeeded" | "job.failed" | "job.canceled", timestamp, ' +
      'data: job}`, signed as Standard Webhooks says (`GET /api/webhooks/secret`), without a result of more than 256 KiB, ' +
      'and repeated for a day until it is answered 2xx or 410. A request that joins an earlier ' +
      'job leaves that as it is; one whose `Idempotency-Key` names a job that has not ended and tells somebody else is ' +
      '`idempotency_mismatch`.',
    { type: 'string', format: 'uri', maxLength: 2_048 },
    'https://receiver.example/quarry',
  ),
};

/** Any one of them is enough. */
function securityOf(operation: Operation) {
  const ways = operation.runs === 'queue' ? (['key'] as const) : operation.access;
  const byKey = ways.some((way) => way === 'key') ? [{ ApiKey: [] }, { Bearer: [] }] : [];
  return ways.some((way) => way !== 'key') ? [...byKey, { Session: [] }] : byKey;
}

function toSecuritySchemes(sessionCookie: string) {
  return {
    ApiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key: `svc_live_…`.' },
    Bearer: { type: 'http', scheme: 'bearer', description: 'The same API key as a bearer token.' },
    Session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookie,
      description: 'The cookie that `POST /api/auth/sign-in/email` sets.',
    },
  };
}

const areaOf = (operation: Operation) => operation.id.split('.')[0] ?? '';

function toOperation(operation: Operation, components: SchemaComponents) {
  return {
    operationId: operation.id,
    tags: [areaOf(operation)],
    summary: operation.summary,
    description: operation.description,
    security: securityOf(operation),
    ...describeRequest(operation, components),
    responses: describeResponses(operation, components),
  };
}

/**
 * The OpenAPI 3.1 document: every contract with a route, and what the app serves beside them.
 * @public the typed client is generated from it
 */
export function createOpenApi({ catalog, publicUrl, sessionCookie }: OpenApiOptions) {
  const components = createSchemaComponents();
  const paths: Record<string, Record<string, unknown>> = {};
  const areas = new Set<string>();
  for (const operation of catalog.operations) {
    if (operation.route === null) continue;
    const { method, path } = operation.route;
    areas.add(areaOf(operation));
    paths[path] = { ...paths[path], [method.toLowerCase()]: toOperation(operation, components) };
  }
  Object.assign(paths, describeAuthPaths(components), describeSystemPaths(components));
  return {
    openapi: '3.1.0',
    info: { title: 'Quarry', version, description: about, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: publicUrl ?? '/' }],
    tags: [...areas, 'auth', 'system'].map((name) => ({ name })),
    paths,
    components: {
      schemas: components.all,
      parameters,
      headers: headerComponents,
      securitySchemes: toSecuritySchemes(sessionCookie),
    },
  };
}

/** `GET /openapi.json`: made once, at start, so that a contract that cannot be described is found there. */
export async function serveOpenApi({ auth, catalog, config }: Pick<ApiDeps, 'auth' | 'catalog' | 'config'>) {
  const sessionCookie = (await auth.$context).authCookies.sessionToken.name;
  const text = JSON.stringify(createOpenApi({ catalog, publicUrl: config.PUBLIC_URL, sessionCookie }));
  const etag = createHash('sha256').update(text).digest('base64url');
  // A megabyte, of which a tenth is left: the console's playground waits for it.
  const zipped = gzipSync(text);
  return (ctx: ApiContext): void => {
    ctx.set('Cache-Control', 'no-cache');
    const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
    ctx.set('ETag', isZipped ? `W/"${etag}"` : `"${etag}"`);
    ctx.vary('Accept-Encoding');
    if (isKnown(ctx.get('If-None-Match'), etag)) {
      ctx.status = 304;
      return;
    }
    ctx.type = 'application/json; charset=utf-8';
    if (isZipped) ctx.set('Content-Encoding', 'gzip');
    ctx.body = isZipped ? zipped : text;
  };
}
