import { useCallback, useEffect, useRef, useState } from 'react';
import { call, onSignedOut, ProblemError } from './client.ts';
import { setOwnKey } from './own-key.ts';

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

export interface Session {
  user: SessionState;
  /** Somebody was signed in here, and is no more without having signed out. */
  hasEnded: boolean;
  setUser(user: SignedInUser | null): void;
  /** Why it is not known who is signed in; null where it is. */
  error: unknown;
  reload(): void;
}

export function useSession(): Session {
  const [user, setState] = useState<SessionState>(undefined);
  const [error, setError] = useState<unknown>(null);
  const [hasEnded, setHasEnded] = useState(false);
  const latest = useRef<SignedInUser | null>(null);
  const setUser = useCallback((found: SignedInUser | null) => {
    // The key goes with the session, wherever that has ended.
    if (found === null) setOwnKey('');
    latest.current = found;
    setHasEnded(false);
    setState(found);
  }, []);
  const reload = useCallback(() => {
    setError(null);
    findSession().then(setUser, (failure: unknown) => {
      if (failure instanceof ProblemError && failure.problem.status === 401) setUser(null);
      else setError(failure);
    });
  }, [setUser]);
  useEffect(() => {
    reload();
    return onSignedOut(() => {
      if (latest.current === null) return;
      setUser(null);
      setHasEnded(true);
    });
  }, [reload, setUser]);
  return { user, hasEnded, setUser, error, reload };
}
