import type { ParameterizedContext } from 'koa';

/** Who asks: an accepted API key and what its license allows. */
export interface Principal {
  userId: string;
  keyId: string;
  keyName: string;
  allowanceId: string;
  /** Requests in any 3,600 s. */
  rateLimit: number;
}

export interface ApiState {
  requestId: string;
  principal?: Principal;
  jobId?: string;
}

export type ApiContext = ParameterizedContext<ApiState>;
