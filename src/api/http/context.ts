import type { ParameterizedContext } from 'koa';
import type { Limits } from '../../shared/usage/allowance.ts';

/** Who asks: an accepted API key and what its license allows. */
export interface Principal {
  userId: string;
  keyId: string;
  keyName: string;
  allowanceId: string;
  /** Requests in any 3,600 s. */
  rateLimit: number;
  /** Of all keys of the user together. */
  userRateLimit: number;
  expiresAt: Date | null;
  /** Areas and ids of operations; null for all. */
  scopes: readonly string[] | null;
  /** Counts the changes of the key's rights. */
  revision: number;
}

export const limitsOf = ({ rateLimit, userRateLimit }: Principal): Limits => ({
  perKey: rateLimit,
  perUser: userRateLimit,
});

/** Who is signed in, where a call takes the session cookie. */
export interface SessionUser {
  userId: string;
  sessionId: string;
  email: string;
  name: string;
  role: 'user' | 'admin';
}

export interface ApiState {
  requestId: string;
  principal?: Principal;
  user?: SessionUser;
  jobId?: string;
  /** Id of the contract that answers. */
  operation?: string;
  /** Code of the problem that is answered. */
  problem?: string;
}

export type ApiContext = ParameterizedContext<ApiState>;
