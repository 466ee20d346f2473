import { useEffect, useState } from 'react';
import { call, onSignedOut } from './client.ts';

export interface SignedInUser {
  id: string;
  email: string;
  name: string;
  role: string;
}

/** Undefined: not known yet; null: nobody is signed in. */
export type SessionState = SignedInUser | null | undefined;

async function findSession(): Promise<SignedInUser | null> {
  const session = await call<{ user: SignedInUser } | null>('/api/auth/get-session');
  return session?.user ?? null;
}

export async function signIn(email: string, password: string): Promise<SignedInUser> {
  const { user } = await call<{ user: SignedInUser }>('/api/auth/sign-in/email', {
    method: 'POST',
    body: { email, password },
  });
  // The answer to the sign-in does not tell the role.
  return (await findSession()) ?? user;
}

export async function signOut(): Promise<void> {
  await call('/api/auth/sign-out', { method: 'POST', body: {} });
}

export function useSession(): [SessionState, (user: SignedInUser | null) => void] {
  const [user, setUser] = useState<SessionState>(undefined);
  useEffect(() => {
    findSession().then(setUser, () => setUser(null));
    return onSignedOut(() => setUser(null));
  }, []);
  return [user, setUser];
}
