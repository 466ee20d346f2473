import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { runAdmin } from './service.ts';

export interface SignedIn {
  userId: string;
  email: string;
  password: string;
  /** For the header `Cookie`. */
  cookie: string;
}

/** The cookies of a successful sign-in. @throws Error where it is refused. */
export async function signIn(email: string, password: string, base = inject('stack').url): Promise<string> {
  const response = await fetch(new URL('/api/auth/sign-in/email', base), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  if (response.status !== 200)
    throw new Error(`Sign-in answered ${response.status}: ${await response.text()}`);
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

/** A new user of the shared stack with a session and, where a plan is named, a license. */
export async function createSignedIn(options: { plan?: string; admin?: boolean } = {}): Promise<SignedIn> {
  const { home } = inject('stack');
  const email = `${randomUUID()}@quarry.test`;
  const password = randomUUID();
  const role = options.admin === true ? ['--admin'] : [];
  const { id } = await runAdmin(home, 'user', 'create', '--email', email, '--password', password, ...role);
  if (options.plan !== undefined)
    await runAdmin(home, 'license', 'grant', '--email', email, '--plan', options.plan);
  return { userId: String(id), email, password, cookie: await signIn(email, password) };
}
