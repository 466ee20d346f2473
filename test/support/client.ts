import { inject } from 'vitest';

export interface Answer<Body = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: Body;
}

export interface CallOptions {
  method?: string;
  /** Null sends none. Default: the stack's ready key. */
  key?: string | null;
  headers?: Record<string, string>;
  body?: unknown;
  /** Sent as it is in place of `body`. */
  rawBody?: string;
}

/** One request to the shared stack, or to the service that `base` names. */
export async function call<Body = Record<string, any>>(
  path: string,
  options: CallOptions = {},
  base = inject('stack').url,
): Promise<Answer<Body>> {
  const { key = inject('stack').key, headers = {}, body, rawBody } = options;
  const sends = body !== undefined || rawBody !== undefined;
  const response = await fetch(new URL(path, base), {
    method: options.method ?? (sends ? 'POST' : 'GET'),
    headers: {
      ...(key === null ? {} : { 'X-API-Key': key }),
      ...(sends ? { 'Content-Type': 'application/json' } : {}),
      ...headers,
    },
    body: rawBody ?? (body === undefined ? null : JSON.stringify(body)),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get('content-type') ?? '');
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : text) as Body,
  };
}

export const scrapePath = '/api/proxy/web/v1/scrape';
export const screenshotPath = '/api/proxy/web/v1/screenshot';
