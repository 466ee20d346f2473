import { z } from 'zod';
import { AppError } from '../../shared/errors.ts';
import { errorOf } from './dataforseo-errors.ts';
import type { SeoRun } from './provider.ts';
import { type Ask, failed, readJson, type Upstream, UpstreamBlocked } from './upstream.ts';

/** https://docs.dataforseo.com/v3: one task a call, answered at once (`live`). */
export interface DataForSeoClient {
  /** @returns the task's results, none where it found nothing. @throws AppError as `errorOf` maps its codes. */
  call<Result extends z.ZodType>(path: string, task: object, result: Result): Promise<z.output<Result>[]>;
  /** ISO 8601 date of its oldest answer: those of a day are kept. */
  readonly asOf: string;
}

export interface DataForSeoAccount {
  login: string;
  password: string;
  /** Without a path: `https://api.dataforseo.com`. */
  url: URL;
}

const ok = 20_000;
/** A search without results: no failure. */
const nothingFound = 40_102;

const envelope = z.object({
  status_code: z.int(),
  status_message: z.string().nullish(),
  cost: z.number().nullish(),
  tasks: z
    .array(
      z.object({
        status_code: z.int(),
        status_message: z.string().nullish(),
        result: z.array(z.unknown()).nullish(),
      }),
    )
    .nullish(),
});
type Envelope = z.output<typeof envelope>;

function statusOf({ status_code, status_message, tasks }: Envelope): { code: number; message: string } {
  const task = status_code === ok ? tasks?.[0] : undefined;
  const told = task ?? { status_code, status_message };
  return { code: told.status_code, message: told.status_message ?? '' };
}

export function createDataForSeoClient(account: DataForSeoAccount, ask: Ask, run: SeoRun): DataForSeoClient {
  const base = account.url.href.replace(/\/+$/, '');
  // 2,000 requests a minute are allowed.
  const upstream: Upstream = { name: 'DataForSEO', host: account.url.host, delayMs: 30 };
  const authorization = `Basic ${Buffer.from(`${account.login}:${account.password}`).toString('base64')}`;

  function read(text: string): Envelope {
    const result = envelope.safeParse(readJson(upstream, text));
    // Without a task it would pass for one that found nothing.
    const isWhole = result.data?.status_code !== ok || result.data.tasks?.[0] !== undefined;
    if (result.success && isWhole) return result.data;
    throw failed(upstream, 'answered something else than its documentation says');
  }
  const isWorthKeeping = (text: string) => [ok, nothingFound].includes(statusOf(read(text)).code);

  let oldest = new Date().toISOString().slice(0, 10);
  return {
    get asOf() {
      return oldest;
    },
    async call(path, task, schema) {
      const request = {
        url: `${base}/v3/${path}`,
        method: 'POST' as const,
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify([task]),
        maxBodyBytes: 8 * 1_048_576,
      };
      const { text, asOf, isKept } = await ask(upstream, request, isWorthKeeping).catch((error: unknown) => {
        if (error instanceof UpstreamBlocked) throw failed(upstream, error.how, error);
        const status = error instanceof AppError ? /answered (40[12])\b/.exec(error.detail)?.[1] : undefined;
        throw status === undefined ? error : errorOf(upstream, Number(status), '');
      });
      if (asOf < oldest) oldest = asOf;
      run.tellSource(upstream.name, asOf);
      const answer = read(text);
      if (!isKept && answer.cost != null) run.tellCost(answer.cost);
      const status = statusOf(answer);
      if (status.code === nothingFound) return [];
      if (status.code !== ok) throw errorOf(upstream, status.code, status.message);
      const results = z.array(schema).safeParse(answer.tasks?.[0]?.result ?? []);
      if (results.success) return results.data;
      throw failed(upstream, `answered ${path} in another form than its documentation says`, results.error);
    },
  };
}
