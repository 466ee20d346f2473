import { z } from 'zod';
import type { ErrorCode } from '../../shared/errors.ts';
import { healthz } from '../../shared/contracts/web/healthz.ts';
import { eventsPath, mostConnections } from '../feed/events-path.ts';
import { fileVariants } from '../links.ts';
import { everywhere, fileHeaders, type HeaderList, toHeaders } from './headers.ts';
import { toProblemResponse } from './responses.ts';
import type { SchemaComponents } from './schemas.ts';

const ofFiles = { ...everywhere, ...fileHeaders, 'Cache-Control': 'always' } as const satisfies HeaderList;

const ofTunnels = { ...everywhere, 'Cache-Control': 'always' } as const satisfies HeaderList;
const unreachable = [
  'target_dns_failed',
  'target_unreachable',
  'egress_proxy_failed',
  'target_tls_failed',
  'target_protocol_error',
  'too_many_redirects',
] as const satisfies readonly ErrorCode[];

const liveness = z.object({ status: z.literal('ok'), version: z.string() });
const readiness = z.object({
  ready: z.boolean().describe('Whether requests should be sent here.'),
  status: healthz.output.shape.status,
  ...healthz.output.shape.checks.shape,
});

/** What the app serves beside the contracts, without a key. */
export function describeSystemPaths(components: SchemaComponents) {
  const json = (description: string, schema: z.ZodType, name: string) => ({
    description,
    headers: toHeaders(everywhere),
    content: { 'application/json': { schema: components.toReference(schema, 'output', name) } },
  });
  const problem = (status: number, codes: ErrorCode[], headers: HeaderList = {}) => ({
    ...toProblemResponse(status, codes, components),
    headers: toHeaders({ ...everywhere, ...headers }),
  });
  const get = (
    operationId: string,
    rest: { summary: string; description: string; responses: object; parameters?: object[] },
  ) => ({
    get: {
      operationId: `system.${operationId}`,
      tags: ['system'],
      security: [],
      ...rest,
      responses: {
        400: problem(400, ['invalid_request']),
        408: problem(408, ['request_timeout']),
        431: problem(431, ['headers_too_large']),
        405: problem(405, ['method_not_allowed'], { Allow: 'always' }),
        500: problem(500, ['internal_error']),
        ...rest.responses,
      },
    },
  });
  const eventsGet = () => {
    const session = { 'Set-Cookie': 'sometimes' } as const;
    const retried = { ...session, 'Retry-After': 'always' } as const;
    const refused = ['unauthenticated', 'key_missing', 'key_invalid', 'key_expired', 'key_revoked'] as const;
    const described = get('events', {
      summary: 'Live feed of your jobs',
      description: aboutEvents,
      parameters: eventParameters,
      responses: {
        101: { description: 'The WebSocket is open.', headers: {} },
        200: {
          description: 'The stream of events; `data` of each is a message as JSON, `id` its `seq`.',
          headers: toHeaders({ ...everywhere, ...session, 'Cache-Control': 'always' }),
          content: { 'text/event-stream': { schema: { type: 'string' } } },
        },
        400: problem(400, ['invalid_request'], session),
        401: problem(401, [...refused], { ...session, 'WWW-Authenticate': 'sometimes' }),
        403: problem(403, ['forbidden'], session),
        406: problem(406, ['not_acceptable'], session),
        503: problem(503, ['unavailable', 'overloaded'], retried),
      },
    });
    return { get: { ...described.get, security: [{ ApiKey: [] }, { Bearer: [] }, { Session: [] }] } };
  };
  return {
    '/livez': get('livez', {
      summary: 'The process answers',
      description: 'Checks nothing else. It is meant for whatever restarts processes that hang.',
      responses: { 200: json('It does.', liveness, 'Liveness') },
    }),
    '/readyz': get('readyz', {
      summary: 'Whether requests should be sent here',
      description:
        'It is meant for whatever chooses among processes. A process is ready once Postgres and Redis have answered and each queue has had a worker, and stays so: what is away later, which `status` and `healthz` tell, is away for all processes.',
      responses: {
        200: json('Postgres, Redis and the workers have been there.', readiness, 'Readiness'),
        503: json('They have not yet.', readiness, 'Readiness'),
      },
    }),
    '/openapi.json': get('openapi', {
      summary: 'This document',
      description: 'What clients can be made of. Its ETag changes with it.',
      responses: {
        200: {
          description: 'OpenAPI 3.1, made from the same contracts that the service runs.',
          headers: toHeaders({ ...everywhere, ETag: 'always', 'Cache-Control': 'always', Vary: 'always' }),
          content: { 'application/json': { schema: { type: 'object' } } },
        },
        304: {
          description: 'It is the one that `If-None-Match` names.',
          headers: toHeaders({ ...everywhere, ETag: 'always', 'Cache-Control': 'always', Vary: 'always' }),
        },
      },
    }),
    '/metrics': get('metrics', {
      summary: 'What the service counts and measures',
      description:
        'For Prometheus: all processes of the service, whichever API process is asked. With `METRICS_TOKEN` set it is the bearer token to send; without, only requests from the same machine are answered.',
      responses: {
        200: {
          description: 'The text format of Prometheus.',
          headers: toHeaders({ ...everywhere, 'Cache-Control': 'always' }),
          content: { 'text/plain': { schema: { type: 'string' } } },
        },
        403: problem(403, ['forbidden'], { 'WWW-Authenticate': 'sometimes' }),
      },
    }),
    [eventsPath]: eventsGet(),
    '/files/{id}': get('file', {
      summary: 'A stored file, by a signed link',
      description:
        'Other answers bring the links, to be used as they stand and without a key. Single byte ranges and conditional requests are answered.',
      parameters: fileParameters(),
      responses: fileResponses(problem),
    }),
    '/tunnel/{id}': get('tunnel', {
      summary: 'A file of a video platform, by a signed link',
      description:
        'What `/platform/download` answers where `via` is `tunnel`, to be used as it stands and without a key. The file is streamed from the platform, which answers byte ranges; nothing is stored.',
      parameters: linkParameters,
      responses: tunnelResponses(problem),
    }),
  };
}

const text = (example: string) => ({ type: 'string', examples: [example] });

const inQuery = (name: string, required: boolean, description: string, schema: object) => ({
  name,
  in: 'query',
  required,
  description,
  schema,
});

const aboutEvents = `Every change of your own jobs, as it happens: as server-sent events, or as a WebSocket on the same path.
A WebSocket takes the key in a header, as its first message \`{"type": "auth", "key": "svc_live_…"}\`, or the session
cookie of our own pages.

First comes \`{"type": "ready", "seq"}\`; then \`{"type": "job", "seq", "event", "job"}\` for each change: \`accepted\`,
\`started\`, \`progress\`, \`parked\`, \`resumed\`, one of \`succeeded\`, \`failed\`, \`canceled\`, later \`expired\`. \`job\` is
the job object as the change left it; a result of more than 16 KiB is asked for by the job's id.
\`{"type": "deleted", "seq", "jobId"}\`: nothing is known of the job any more. Each number comes once and in order, with
gaps between: who comes back after the last \`seq\` (\`Last-Event-ID\`, \`?after=\`, or on a WebSocket
\`{"type": "subscribe", "after": seq}\`) misses none and gets none twice, whichever process answers.
\`{"type": "gap", "seq"}\` says that changes up to it are not kept any more.

On a WebSocket \`{"type": "subscribe", "jobId"?, "after"?}\` narrows the feed to jobs; without \`after\` it begins with
their present state (\`event: "state"\`). \`{"type": "heartbeat", "seq"}\` (a comment in the stream) comes when nothing
else does. \`{"type": "end", "code", "detail", "seq"}\` is the last message: \`too_slow\` and \`stopping\` may come again
and go on after \`seq\`; a key that is revoked ends its connections at once.

A user may have ${mostConnections} connections open in one process; past them a further one is 503 \`overloaded\`.`;

const linkParameters = [
  {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Part of the link.',
    schema: text('0197f3c2-8d3a-7c41-b6f2-2f3f1d0a9e55'),
  },
  inQuery('expires', true, 'Part of the link: seconds since the epoch.', {
    type: 'integer',
    examples: [1_893_456_000],
  }),
  inQuery('signature', true, 'Part of the link.', text('rL0Y20zC-Fzt72VPzMSk2A')),
];

const eventParameters = [
  inQuery(
    'after',
    false,
    'Go on after this number: the `seq` of the last message; 0 for all that are kept.',
    {
      type: 'string',
      pattern: '^[0-9]{1,15}$',
      examples: ['0'],
    },
  ),
];

function fileParameters() {
  return [
    ...linkParameters,
    inQuery('variant', false, 'A small WebP in place of the file itself.', {
      type: 'string',
      enum: [...fileVariants],
      default: fileVariants[0],
    }),
  ];
}

type ToProblem = (status: number, codes: ErrorCode[], headers?: HeaderList) => object;

function fileResponses(problem: ToProblem) {
  const content = { '*/*': {} };
  const ranged = { 'Content-Range': 'always' } as const;
  return {
    200: {
      description: 'The file.',
      headers: toHeaders(ofFiles),
      content,
    },
    206: {
      description: 'The bytes that `Range` asks for.',
      headers: toHeaders({ ...ofFiles, ...ranged }),
      content,
    },
    304: { description: 'The file is the one that `If-None-Match` names.', headers: toHeaders(ofFiles) },
    403: problem(403, ['forbidden']),
    410: problem(410, ['result_expired']),
    416: {
      description: 'The file ends before the range that was asked for.',
      headers: toHeaders({ ...everywhere, ...fileHeaders, ...ranged }),
    },
    503: problem(503, ['unavailable', 'overloaded', 'not_configured'], { 'Retry-After': 'sometimes' }),
  };
}

function tunnelResponses(problem: ToProblem) {
  const content = { '*/*': {} };
  const headers = toHeaders(ofTunnels);
  return {
    200: { description: 'The file.', headers, content },
    206: { description: 'The bytes that `Range` asks for.', headers, content },
    403: problem(403, ['forbidden', 'url_not_allowed']),
    404: problem(404, ['video_not_found']),
    410: problem(410, ['result_expired']),
    416: { description: 'The file ends before the range that was asked for.', headers },
    502: problem(502, ['platform_blocked', ...unreachable]),
    503: problem(503, ['unavailable', 'overloaded'], { 'Retry-After': 'always' }),
    504: problem(504, ['target_timeout']),
  };
}
