import { cutShown } from './cut-shown.ts';
import type { PlaygroundRequest } from './request.ts';

export interface Answer {
  status: number;
  ms: number;
  requestId: string | null;
  /** Of the hourly allowance; null where the call is not counted. */
  remaining: number | null;
  /** As JSON; null where the answer is none. */
  body: unknown;
  /** As it is to be read. */
  text: string;
}

export async function send(
  request: PlaygroundRequest,
  key: string | null,
  signal: AbortSignal,
): Promise<Answer> {
  const { method, path, body } = request;
  const start = performance.now();
  const response = await fetch(path, {
    method,
    signal,
    credentials: 'same-origin',
    headers: {
      Accept: 'application/json',
      ...(key === null ? {} : { 'X-API-Key': key }),
      ...(body === null ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const ms = Math.round(performance.now() - start);
  const isJson = /json/.test(response.headers.get('Content-Type') ?? '');
  const answer: unknown = isJson ? JSON.parse(text) : null;
  const left = /r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1];
  return {
    status: response.status,
    ms,
    requestId: response.headers.get('X-Request-Id'),
    remaining: left === undefined ? null : Number(left),
    body: answer,
    text: cutShown(isJson ? JSON.stringify(answer, null, 2) : text),
  };
}
