import type { Operation } from '../../shared/operation.ts';
import type { PossibleAnswer } from './answers.ts';
import { errorKinds } from '../../shared/errors.ts';
import { hasFiles, representationsOf } from '../representations.ts';

const text = { type: 'string' } as const;

/** Every header of ours that an answer can carry. */
const responseHeaders = {
  'X-Request-Id': {
    description: "The request's X-Request-Id where it is a valid token, otherwise a generated one.",
    schema: text,
  },
  'X-Job-Id': { description: 'The job that the request started or joined.', schema: text },
  'X-Screenshot-Id': { description: 'Id of the picture, to ask for it again.', schema: text },
  RateLimit: {
    description:
      'What is left of the hourly allowances of the key and of its user (IETF draft ratelimit-headers): `"hourly";r=99;t=3600, "user";r=199;t=3600`.',
    schema: text,
    example: '"hourly";r=99;t=3600, "user";r=199;t=3600',
  },
  'RateLimit-Policy': {
    description:
      'The allowances (IETF draft ratelimit-headers), of the key and of all keys of its user together, in any 3,600 s: `"hourly";q=100;w=3600, "user";q=200;w=3600`.',
    schema: text,
    example: '"hourly";q=100;w=3600, "user";q=200;w=3600',
  },
  'Retry-After': {
    description: 'Seconds after which it is worth asking again.',
    schema: { type: 'integer', minimum: 0 },
  },
  Location: {
    description: 'Where to ask for the job.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'Idempotency-Replayed': {
    description: '`true`: the answer is that of an earlier request, uncounted.',
    schema: text,
  },
  'Preference-Applied': { description: 'The preference of `Prefer` that was followed.', schema: text },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: text },
  Allow: { description: 'The methods that the path has.', schema: text },
  'Cache-Control': { description: 'Whether and for how long the answer may be kept.', schema: text },
  'Set-Cookie': { description: 'The session cookie, where it was renewed or ended.', schema: text },
  ETag: { description: "The file's tag, for If-None-Match and If-Range.", schema: text },
  'Accept-Ranges': { description: '`bytes`: single byte ranges are answered.', schema: text },
  'X-Content-Type-Options': { description: '`nosniff`.', schema: text },
  'Content-Security-Policy': {
    description: 'Lets a file that is opened in a browser run nothing.',
    schema: text,
  },
  'Cross-Origin-Resource-Policy': {
    description: '`cross-origin`: any page may show the picture.',
    schema: text,
  },
  Vary: {
    description: '`Accept` or `Accept-Encoding`, which choose among the forms of the answer.',
    schema: text,
  },
  'Content-Range': { description: 'Which bytes these are, of how many.', schema: text },
} as const;
type ResponseHeader = keyof typeof responseHeaders;

/** Header names with whether each is always there. */
export type HeaderList = Partial<Record<ResponseHeader, 'always' | 'sometimes'>>;

/** Those that every answer comes with. */
export const everywhere = {
  'X-Request-Id': 'always',
  'X-Content-Type-Options': 'always',
} as const satisfies HeaderList;

/** Those that stored files come with, as `sendFile` sets them. */
export const fileHeaders = {
  ETag: 'always',
  'Accept-Ranges': 'always',
  'X-Content-Type-Options': 'always',
  'Content-Security-Policy': 'always',
  'Cross-Origin-Resource-Policy': 'always',
} as const satisfies HeaderList;

/** References into `headerComponents`. */
export function toHeaders(list: HeaderList) {
  return Object.fromEntries(
    Object.entries(list).map(([name, when]) => [
      name,
      { $ref: `#/components/headers/${when === 'always' ? name : `${name}.sometimes`}` },
    ]),
  );
}

/** Each header twice: where it is always there, and where only some answers have it. */
export const headerComponents = Object.fromEntries(
  Object.entries(responseHeaders).flatMap(([name, described]) => [
    [name, { ...described, required: true }],
    [`${name}.sometimes`, { ...described, required: false }],
  ]),
);

function hasRepresentations(operation: Operation): boolean {
  return representationsOf(operation).size > 0;
}

function idHeadersOf(operation: Operation): HeaderList {
  const named = [...representationsOf(operation).values()].flatMap((it) =>
    'file' in it && it.idHeader !== undefined ? [it.idHeader] : [],
  );
  return Object.fromEntries(named.map((name) => [name, 'always']));
}

/** Of an answer in another media type than JSON. */
function representationHeaders(operation: Operation): HeaderList {
  if (!hasRepresentations(operation)) return {};
  const ofTexts = { 'X-Content-Type-Options': 'always', 'Content-Security-Policy': 'always' } as const;
  return {
    ...(hasFiles(operation) ? { ...fileHeaders, ...idHeadersOf(operation) } : ofTexts),
    ...(operation.runs === 'api' ? { 'X-Job-Id': 'always' } : {}),
  };
}

function problemHeaders(
  operation: Operation,
  { status, codes }: PossibleAnswer & { kind: 'problem' },
): HeaderList {
  const told = status === 429 || status === 503;
  const always = codes.every((code) => errorKinds[code].retryable);
  const takesKey = operation.runs === 'queue' || operation.access.includes('key');
  // Of a session there is no scheme to challenge by.
  const challenged = codes.includes('unauthenticated') ? 'sometimes' : 'always';
  // A result that is still being made is worth asking for again, although nothing is wrong with the service.
  const notYet = hasRepresentations(operation) && status === 406;
  return {
    ...(told ? { 'Retry-After': always ? 'always' : 'sometimes' } : {}),
    ...(notYet ? { 'Retry-After': 'sometimes' } : {}),
    ...(status === 401 && takesKey ? { 'WWW-Authenticate': challenged } : {}),
    ...(status === 405 ? { Allow: 'always' } : {}),
  };
}

function ownHeaders(operation: Operation, answer: PossibleAnswer): HeaderList {
  switch (answer.kind) {
    case 'job':
      return { Location: 'always', 'Retry-After': 'always' };
    case 'data':
      return joinHeaders([representationHeaders(operation), {}]);
    case 'part':
      return {
        ...fileHeaders,
        ...idHeadersOf(operation),
        'X-Job-Id': 'always',
        ...(answer.status === 304 ? {} : { 'Content-Range': 'always' }),
      };
    case 'refused-key':
      return { 'WWW-Authenticate': 'always' };
    case 'problem':
      return problemHeaders(operation, answer);
  }
}

/** Headers that say where a request stands, whatever its answer is. */
function commonHeaders(operation: Operation, kind: PossibleAnswer['kind']): HeaderList {
  const succeeded = kind === 'data' || kind === 'job';
  if (operation.runs === 'queue') {
    return {
      ...everywhere,
      'X-Job-Id': succeeded ? 'always' : 'sometimes',
      'Cache-Control': succeeded ? 'always' : 'sometimes',
      // Not where an earlier request is repeated or joined: that is not counted.
      RateLimit: 'sometimes',
      'RateLimit-Policy': 'sometimes',
      'Idempotency-Replayed': 'sometimes',
      'Preference-Applied': 'sometimes',
    };
  }
  return {
    ...everywhere,
    'Cache-Control': kind === 'data' ? 'always' : 'sometimes',
    ...(operation.waits ? { 'Preference-Applied': 'sometimes' } : {}),
    ...(operation.access.every((way) => way === 'key') ? {} : { 'Set-Cookie': 'sometimes' }),
  };
}

export function headersOf(operation: Operation, answer: PossibleAnswer): HeaderList {
  const isAccepted = answer.kind === 'data' || answer.kind === 'job' || answer.kind === 'part';
  return {
    ...commonHeaders(operation, answer.kind),
    ...(hasRepresentations(operation) ? { Vary: isAccepted ? 'always' : 'sometimes' } : {}),
    ...ownHeaders(operation, answer),
  };
}

/** Of answers that share a status: what only some carry is not always there. */
export function joinHeaders(lists: readonly HeaderList[]): HeaderList {
  const names = new Set(lists.flatMap((list) => Object.keys(list) as ResponseHeader[]));
  return Object.fromEntries(
    [...names].map((name) => [name, lists.every((list) => list[name] === 'always') ? 'always' : 'sometimes']),
  );
}
