import type { Service } from '../support/service.ts';

/** The fields of a page or picture that the cases look at. */
export interface PageData {
  finalUrl: string;
  statusCode: number;
  redirects: unknown[];
  html: string;
  title: string;
  truncated: boolean;
  links?: unknown[];
  width: number;
  height: number;
}

export interface Answer {
  status: number;
  /** From the request sent to its whole answer. */
  ms: number;
  /** The error's code; null for a result. */
  code: string | null;
  detail: string;
  /** Empty for an error. */
  data: Partial<PageData>;
  warnings: string[];
}

export type Ask = (path: string, body: Record<string, unknown>) => Promise<Answer>;

const webPath = '/api/proxy/web/v1/';

/** Asks a service over HTTP as its clients do. `path` goes on after the web proxy's. */
export function askService(service: Service): Ask {
  return async (path, body) => {
    const start = performance.now();
    const response = await fetch(new URL(webPath + path, service.url), {
      method: 'POST',
      headers: { 'X-API-Key': service.key, 'Content-Type': 'application/json', Prefer: 'wait=60' },
      body: JSON.stringify(body),
    });
    const answer = (await response.json()) as {
      code?: string;
      detail?: string;
      data?: Partial<PageData>;
      meta?: { warnings: { code: string }[] };
    };
    return {
      status: response.status,
      ms: performance.now() - start,
      code: response.ok ? null : String(answer.code),
      detail: String(answer.detail ?? ''),
      data: answer.data ?? {},
      warnings: (answer.meta?.warnings ?? []).map((one) => one.code),
    };
  };
}
