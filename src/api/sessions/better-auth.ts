import { betterAuth } from 'better-auth';
import { APIError, createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api';
import type { Logger } from 'pino';
import type { Config } from '../../shared/config.ts';
import type { Db } from '../../shared/db/client.ts';
import type { AuditAction } from '../../shared/db/account-tables.ts';
import { recordAudit } from '../../shared/db/audit-log.ts';
import { findUserByEmail } from '../../shared/db/users.ts';
import { createId } from '../../shared/ids.ts';
import { flawOfOwnTexts } from './own-texts.ts';
import { createLoginLimits } from './login-limits.ts';

/** Set by us on every request that better-auth gets, whatever the client sent under this name. */
export const clientAddressHeader = 'x-quarry-client-address';
export const authPath = '/api/auth';

const signInPath = '/sign-in/email';
const signUpPath = '/sign-up/email';
/** Those that check a password. */
const passwordPaths = new Set([signInPath, '/change-password', '/verify-password']);

/** What it means that a session was made there. */
const madeSessions: Readonly<Record<string, AuditAction>> = {
  [signInPath]: 'sign-in.succeeded',
  [signUpPath]: 'sign-in.succeeded',
  '/change-password': 'password.changed',
};

const snakeCase = { createdAt: 'created_at', updatedAt: 'updated_at' };
const ofUser = { ...snakeCase, userId: 'user_id' };

/** Where our tables and columns have other names than better-auth's. */
const tables = {
  user: {
    modelName: 'users',
    fields: { ...snakeCase, emailVerified: 'email_verified' },
    additionalFields: {
      role: { type: 'string', required: false, defaultValue: 'user', input: false },
    },
  },
  session: {
    modelName: 'sessions',
    fields: { ...ofUser, expiresAt: 'expires_at', ipAddress: 'ip_address', userAgent: 'user_agent' },
  },
  account: {
    modelName: 'accounts',
    fields: {
      ...ofUser,
      accountId: 'account_id',
      providerId: 'provider_id',
      accessToken: 'access_token',
      refreshToken: 'refresh_token',
      idToken: 'id_token',
      accessTokenExpiresAt: 'access_token_expires_at',
      refreshTokenExpiresAt: 'refresh_token_expires_at',
    },
  },
  verification: { modelName: 'verifications', fields: { ...snakeCase, expiresAt: 'expires_at' } },
} as const;

/** `__Host-` binds the cookies to this very host over TLS; browsers refuse the prefix without Secure. */
function cookieOptions(secure: boolean) {
  return {
    useSecureCookies: false, // it would put `__Secure-` before the stronger prefix
    cookiePrefix: secure ? '__Host-quarry' : 'quarry',
    defaultCookieAttributes: { httpOnly: true, sameSite: 'lax', secure, path: '/' },
  } as const;
}

type HookContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0];

/**
 * The account whose password is tried: whom a sign-in names, else who is signed in. What else a body says is not
 * validated, and could name anybody.
 */
async function emailOf(ctx: HookContext): Promise<string | null> {
  if (ctx.path !== signInPath) return (await getSessionFromCtx(ctx))?.user.email ?? null;
  const body: unknown = ctx.body;
  const email = typeof body === 'object' && body !== null && 'email' in body ? body.email : null;
  return typeof email === 'string' ? email : null;
}

const addressOf = ({ headers }: HookContext): string => headers?.get(clientAddressHeader) ?? 'unknown';

/** @param seconds to wait; null where there are not too many. */
function refuseTooMany(what: string, seconds: number | null): void {
  if (seconds === null) return;
  const message = `Too many ${what}. Try again in ${seconds} s.`;
  throw new APIError('TOO_MANY_REQUESTS', { message }, { 'Retry-After': String(seconds) });
}

/** Whoever knew the old password is out, whatever the client asks for. */
const endingOtherSessions = (body: unknown) => ({
  context: { body: { ...(typeof body === 'object' ? body : null), revokeOtherSessions: true } },
});

export interface BetterAuthOptions {
  config: Pick<Config, 'PUBLIC_URL' | 'SESSION_SECRET' | 'SIGNUP'>;
  db: Db;
  log: Logger;
}

/**
 * E-mail and password sign-in on our own tables. Its own limiter is off, because it believes whatever
 * X-Forwarded-For says; ours counts by account and by true client address.
 */
export function createBetterAuth({ config, db, log }: BetterAuthOptions) {
  const limits = createLoginLimits(db);
  const publicUrl = config.PUBLIC_URL ?? 'http://localhost';

  return betterAuth({
    ...tables,
    appName: 'Quarry',
    baseURL: publicUrl,
    basePath: authPath,
    secret: config.SESSION_SECRET,
    database: { db, type: 'postgres', transaction: true },
    emailAndPassword: {
      enabled: true,
      disableSignUp: config.SIGNUP === 'closed',
      minPasswordLength: 8,
      maxPasswordLength: 128,
    },
    rateLimit: { enabled: false },
    telemetry: { enabled: false },
    logger: {
      level: 'error',
      log: (level, message, ...details) => log.warn({ level, details: details.map(String) }, message),
    },
    onAPIError: {
      // A wrong password and the like are the client's failures, and answered.
      onError(error) {
        if (!isAPIError(error) || error.statusCode >= 500) log.error({ err: error }, 'sign-in broke');
      },
    },
    advanced: {
      ...cookieOptions(publicUrl.startsWith('https://')),
      database: { generateId: createId },
      ipAddress: { ipAddressHeaders: [clientAddressHeader] },
    },
    hooks: {
      before: createAuthMiddleware(async (ctx) => {
        const isSignUp = ctx.path === signUpPath;
        const flaw = ctx.path === '/update-user' || isSignUp ? flawOfOwnTexts(ctx.body) : null;
        if (flaw !== null) throw new APIError('BAD_REQUEST', { message: flaw });
        if (isSignUp && config.SIGNUP === 'closed') {
          throw new APIError('FORBIDDEN', {
            message: 'Sign-up is closed here. Ask the operator for an account (or SIGNUP=open).',
          });
        }
        const clientAddress = addressOf(ctx);
        if (isSignUp) refuseTooMany('sign-ups from your address', await limits.takeSignUp(clientAddress));
        if (passwordPaths.has(ctx.path))
          refuseTooMany('attempts', await limits.take({ email: await emailOf(ctx), clientAddress }));
        return ctx.path === '/change-password' ? endingOtherSessions(ctx.body) : undefined;
      }),
      after: createAuthMiddleware(async (ctx) => {
        const { newSession, returned } = ctx.context;
        const { path } = ctx;
        const clientAddress = addressOf(ctx);
        const email = passwordPaths.has(path) ? await emailOf(ctx) : null;
        if (passwordPaths.has(path) && !isAPIError(returned)) await limits.succeed({ email, clientAddress });
        const failed = path === signInPath && isAPIError(returned) && returned.statusCode === 401;
        // A session that is renewed is a new one too, and nobody has signed in.
        const action = failed ? 'sign-in.failed' : newSession === null ? undefined : madeSessions[path];
        if (action === undefined) return;
        const actorId = failed ? null : (newSession?.user.id ?? null);
        const tried = email === null ? undefined : await findUserByEmail(db, email);
        const userId = actorId ?? tried?.id ?? null;
        await recordAudit(db, { userId, actorId, address: clientAddress, action });
      }),
    },
  });
}

export type BetterAuth = ReturnType<typeof createBetterAuth>;
