import { z } from 'zod';
import { type ErrorCode, errorKinds } from '../../shared/errors.ts';
import { authPath } from '../sessions/better-auth.ts';
import { everywhere, toHeaders } from './headers.ts';
import { exampleOf } from './request.ts';
import { toProblemResponse } from './responses.ts';
import type { SchemaComponents } from './schemas.ts';

const time = z.iso.datetime();

const user = z
  .object({
    id: z.uuid(),
    email: z.string(),
    name: z.string(),
    image: z.string().nullable().optional(),
    emailVerified: z.boolean(),
    role: z.enum(['user', 'admin']),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'User' });

const session = z
  .object({
    id: z.uuid(),
    userId: z.uuid(),
    token: z.string().describe('Names the session; the cookie carries it signed.'),
    expiresAt: time,
    createdAt: time,
    updatedAt: time,
    ipAddress: z.string().nullable().optional(),
    userAgent: z.string().nullable().optional(),
  })
  .meta({ id: 'Session' });

const email = z
  .string()
  .describe('Of the account.')
  .meta({ examples: ['ann@example.com'] });
const password = z
  .string()
  .min(8)
  .max(128)
  .meta({ examples: ['correct horse battery'] });

interface AuthCall {
  method: 'get' | 'post';
  end: string;
  id: string;
  summary: string;
  description: string;
  /** Of the body; null where it takes none. */
  input: z.ZodType | null;
  output: z.ZodType;
  errors: ErrorCode[];
  takesSession: boolean;
}

const calls: readonly AuthCall[] = [
  {
    method: 'post',
    end: 'sign-in/email',
    id: 'sign-in',
    summary: 'Sign in',
    description: 'Begins a session and sets its cookie, which calls under `/api/keys` are made with.',
    input: z.object({
      email,
      password: z
        .string()
        .describe('Of the account.')
        .meta({ examples: ['correct horse battery'] }),
      rememberMe: z.boolean().default(true).describe('Whether the cookie outlives the browser.'),
    }),
    output: z.object({
      redirect: z.boolean(),
      url: z.string().nullable().optional(),
      token: z.string().describe('Of the session.'),
      user,
    }),
    errors: ['unauthenticated', 'forbidden', 'too_many_attempts'],
    takesSession: false,
  },
  {
    method: 'post',
    end: 'sign-up/email',
    id: 'sign-up',
    summary: 'Create an account',
    description: 'Only where the operator has set `SIGNUP=open`. Begins a session too.',
    input: z.object({
      name: z
        .string()
        .min(1)
        .max(100)
        .describe('Shown to admins.')
        .meta({ examples: ['Ann'] }),
      email,
      password: password.describe('8 to 128 characters.'),
    }),
    output: z.object({ token: z.string().nullable(), user }),
    errors: ['forbidden', 'too_many_attempts'],
    takesSession: false,
  },
  {
    method: 'post',
    end: 'sign-out',
    id: 'sign-out',
    summary: 'Sign out',
    description: 'Ends the session at once, and its cookie.',
    input: z.object({}),
    output: z.object({ success: z.boolean() }),
    errors: ['forbidden'],
    takesSession: true,
  },
  {
    method: 'get',
    end: 'get-session',
    id: 'session',
    summary: 'Who is signed in',
    description: 'The session of the cookie and its user; null where nobody is signed in.',
    input: null,
    output: z.object({ session, user }).nullable(),
    errors: [],
    takesSession: true,
  },
  {
    method: 'post',
    end: 'change-password',
    id: 'change-password',
    summary: 'Change the password',
    description: 'Of the account that is signed in.',
    input: z.object({
      currentPassword: z
        .string()
        .describe('That is to be changed.')
        .meta({ examples: ['correct horse battery'] }),
      newPassword: password.describe('8 to 128 characters.'),
      revokeOtherSessions: z
        .boolean()
        .default(false)
        .describe('Whether all other sessions of the account end.'),
    }),
    output: z.object({ token: z.string().nullable(), user }),
    errors: ['unauthenticated', 'forbidden', 'too_many_attempts'],
    takesSession: true,
  },
];

const common: readonly ErrorCode[] = [
  'invalid_request',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'unavailable',
  'overloaded',
];
const ofBodies: readonly ErrorCode[] = ['body_too_large', 'unsupported_media_type'];

function toResponses(
  { input, output, errors, summary }: AuthCall,
  components: SchemaComponents,
  name: string,
) {
  const codes = [...common, ...(input === null ? [] : ofBodies), ...errors];
  const byStatus = Map.groupBy(codes, (code) => errorKinds[code].status);
  const problems = [...byStatus].map(([status, of]) => [
    status,
    {
      ...toProblemResponse(status, of, components),
      headers: toHeaders({
        ...everywhere,
        ...(status === 405 ? { Allow: 'always' } : {}),
        ...(status === 429 || status === 503 ? { 'Retry-After': 'sometimes' } : {}),
      }),
    },
  ]);
  const headers = toHeaders({
    ...everywhere,
    'Cache-Control': 'always',
    'Set-Cookie': 'sometimes',
  });
  const schema = components.toReference(output, 'output', name);
  return {
    200: { description: summary, headers, content: { 'application/json': { schema } } },
    ...(Object.fromEntries(problems) as object),
  };
}

const toBody = (input: z.ZodType, components: SchemaComponents, name: string) => ({
  schema: components.toReference(input, 'input', `${name}Request`),
  example: exampleOf(components.toSchema(input, 'input')),
});

/** Sign-in, which better-auth serves: the calls of it that this service is used by. */
export function describeAuthPaths(components: SchemaComponents) {
  return Object.fromEntries(
    calls.map((call) => {
      const { method, end, id, summary, description, input, takesSession } = call;
      const name = `Auth${id.replaceAll(/(?:^|-)(\w)/g, (_all, first: string) => first.toUpperCase())}`;
      const operation = {
        operationId: `auth.${id}`,
        tags: ['auth'],
        summary,
        description,
        security: takesSession ? [{ Session: [] }] : [],
        ...(input === null
          ? {}
          : {
              requestBody: {
                required: true,
                content: { 'application/json': toBody(input, components, name) },
              },
            }),
        responses: toResponses(call, components, name),
      };
      return [`${authPath}/${end}`, { [method]: operation }];
    }),
  );
}
