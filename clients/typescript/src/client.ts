import { routes } from './generated/routes.js';
import { type ProblemDetails, QuarryProblem } from './problem.js';
import { send, type SendOptions, sleep } from './send.js';
import type { Calls, CallOptions, Job, Meta, OperationId } from './types.js';

export interface QuarryOptions {
  /** Where the service answers, e.g. `http://127.0.0.1:3000`. */
  baseUrl: string;
  /** An API key; calls under `/api/keys` take a session in place of it. */
  apiKey?: string;
  /** The `Cookie` header of a session. */
  cookie?: string;
  /** Further tries of what may work later; 3. */
  retries?: number;
  /** The longest wait before another try, in milliseconds; what asks for more is thrown. 60,000. */
  maxRetryWaitMs?: number;
  /** In place of the built-in one. */
  fetch?: typeof fetch;
}

interface Route {
  method: string;
  path: string;
  isQueued: boolean;
}

interface Enveloped<Data> {
  data: Data;
  meta: Meta;
}

const firstPollMs = 300;
const longestPollMs = 5_000;

const canceled: ProblemDetails = {
  type: '/docs/errors#job_canceled',
  title: 'Job canceled',
  status: 409,
  detail: 'The job was canceled before it ended.',
  code: 'job_canceled',
  requestId: null,
  retryable: false,
};

const expired: ProblemDetails = {
  ...canceled,
  type: '/docs/errors#result_expired',
  title: 'Result expired',
  status: 410,
  detail: 'The result was deleted, because its time was over or on request.',
  code: 'result_expired',
};

class Caller {
  readonly #options: QuarryOptions;
  readonly #sendOptions: SendOptions;

  constructor(options: QuarryOptions) {
    this.#options = options;
    this.#sendOptions = {
      fetch: options.fetch ?? fetch,
      retries: options.retries ?? 3,
      maxRetryWaitMs: options.maxRetryWaitMs ?? 60_000,
    };
  }

  #toUrl(path: string): URL {
    return new URL(this.#options.baseUrl.replace(/\/+$/, '') + path);
  }

  #headers(): Record<string, string> {
    const { apiKey, cookie } = this.#options;
    return {
      Accept: 'application/json',
      ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }),
      ...(cookie === undefined ? {} : { Cookie: cookie }),
    };
  }

  async call(route: Route, input: Record<string, unknown>, options: CallOptions): Promise<unknown> {
    const left = { ...input };
    const path = route.path.replace(/\{(\w+)\}/g, (_all, name: string) => {
      const value = String(left[name]);
      delete left[name];
      return encodeURIComponent(value);
    });
    const url = this.#toUrl(path);
    const headers = this.#headers();
    const hasBody = route.method !== 'GET' && route.method !== 'DELETE';
    if (hasBody) headers['Content-Type'] = 'application/json';
    else {
      for (const [name, value] of Object.entries(left)) {
        if (value !== undefined) url.searchParams.set(name, String(value));
      }
    }
    if (route.isQueued && hasBody) headers['Idempotency-Key'] = options.idempotencyKey ?? crypto.randomUUID();
    const sent = await send(this.#sendOptions, url, {
      method: route.method,
      headers,
      body: hasBody ? JSON.stringify(left) : null,
      signal: options.signal ?? null,
    });
    if (!route.isQueued || sent.status !== 202) return sent.body;
    return await this.waitFor((sent.body as Enveloped<Job>).data.id, options);
  }

  /** Until the job has ended. @throws QuarryProblem of a job that has no result. */
  async waitFor(id: string, options: CallOptions = {}): Promise<Enveloped<unknown>> {
    const signal = options.signal;
    for (let pollMs = firstPollMs; ; pollMs = Math.min(pollMs * 1.5, longestPollMs)) {
      const { body } = await send(
        this.#sendOptions,
        this.#toUrl(`/api/proxy/jobs/${encodeURIComponent(id)}`),
        {
          headers: this.#headers(),
          signal: signal ?? null,
        },
      );
      const { data: job, meta } = body as Enveloped<Job>;
      options.onProgress?.(job);
      if (job.status === 'succeeded') return { data: job.result, meta };
      if (job.status === 'failed') throw new QuarryProblem(job.error as ProblemDetails, id);
      if (job.status === 'canceled') throw new QuarryProblem(canceled, id);
      if (job.status === 'expired') throw new QuarryProblem(expired, id);
      await sleep(pollMs, signal);
    }
  }

  async download(link: string): Promise<Uint8Array> {
    const response = await this.#sendOptions.fetch(new URL(link, this.#options.baseUrl));
    if (!response.ok) throw new Error(`The file cannot be read: HTTP ${response.status}.`);
    return new Uint8Array(await response.arrayBuffer());
  }
}

const camel = (text: string) => text.replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());

/** A client of a Quarry: `quarry.web.scrape({ url })`, and what else the reference has, by area and name. */
export type Quarry = Calls & {
  /** Waits for a job that was begun elsewhere. @throws QuarryProblem of a job that has no result. */
  waitFor(jobId: string, options?: CallOptions): Promise<{ data: unknown; meta: Meta }>;
  /** The bytes behind a signed link of an answer, such as `imageUrl`. */
  download(link: string): Promise<Uint8Array>;
};

/**
 * Makes a client. A call waits for its job, however long that takes; `signal` ends the wait. What may work later is
 * sent again, with the same Idempotency-Key: it is counted once.
 */
export function createQuarry(options: QuarryOptions): Quarry {
  const caller = new Caller(options);
  const areas: Record<string, Record<string, unknown>> = {};
  for (const id of Object.keys(routes) as OperationId[]) {
    const [area = '', name = ''] = id.split('.');
    const calls = (areas[area] ??= {});
    calls[camel(name)] = (input: Record<string, unknown> = {}, callOptions: CallOptions = {}) =>
      caller.call(routes[id], input, callOptions);
  }
  return Object.assign(areas as unknown as Calls, {
    waitFor: (jobId: string, callOptions?: CallOptions) => caller.waitFor(jobId, callOptions),
    download: (link: string) => caller.download(link),
  });
}
