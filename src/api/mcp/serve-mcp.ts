import { Readable } from 'node:stream';
import { AppError } from '../../shared/errors.ts';
import type { AcceptJob } from '../accept-job.ts';
import type { ApiDeps } from '../deps.ts';
import { authenticate } from '../http/authenticate.ts';
import { readBody } from '../http/body.ts';
import { signalOf } from '../http/client-gone.ts';
import type { ApiContext } from '../http/context.ts';
import { originOf } from '../http/origin.ts';
import { refuseCostlyJson } from '../http/refuse-costly-json.ts';
import { readPrefer } from '../http/prefer.ts';
import type { JobPresenter } from '../present-job.ts';
import { refuseForeignOrigin } from '../sessions/own-origin.ts';

export interface McpOptions {
  deps: ApiDeps;
  presenter: JobPresenter;
  acceptJob: AcceptJob;
}

/** Clients give up after 60 s, as a rule. `Prefer: wait=N` sets another. */
const usualWaitMs = 25_000;

/** What the protocol reads of a request; the key stays here. */
const readHeaders: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'last-event-id',
]);

async function toRequest(ctx: ApiContext, signal: AbortSignal): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(ctx.req.headers)) {
    const isRead = readHeaders.has(name) || name.startsWith('mcp-param-');
    if (isRead && typeof value === 'string') headers.set(name, value);
  }
  const body = ctx.method === 'POST' ? await readBody(ctx) : null;
  // The protocol has had none since 2025-06-18, and thousands fit into one body.
  if (body !== null && /^\s*\[/.test(body)) {
    throw new AppError(
      'invalid_request',
      'Batches are not taken. Send each message in a request of its own.',
    );
  }
  if (body !== null) refuseCostlyJson(body);
  return new Request(new URL(ctx.url, 'http://localhost'), { method: ctx.method, headers, body, signal });
}

/**
 * `/mcp`: the Model Context Protocol over Streamable HTTP, without sessions. Each request brings its key; each tool
 * that asks for something new is a job, accepted and metered as by HTTP.
 */
export function serveMcp({ deps, presenter, acceptJob }: McpOptions) {
  // Loaded by the first who asks: the SDK and the tokenizer take memory that many a service never needs.
  let loading: ReturnType<typeof load> | undefined;
  async function load() {
    const { answerMcp, listTools } = await import('./server.ts');
    return { answer: answerMcp, tools: listTools(deps.catalog) };
  }

  return async (ctx: ApiContext): Promise<void> => {
    // A page of another site must not reach a service on its reader's machine.
    refuseForeignOrigin(ctx, deps.config.PUBLIC_URL);
    const principal = await authenticate(ctx, deps);
    ctx.state.principal = principal;
    const signal = signalOf(ctx);
    const request = await toRequest(ctx, signal);
    const { answer, tools } = await (loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    }));
    const call = {
      deps,
      presenter,
      acceptJob,
      caller: { principal, isSure: true },
      requestId: ctx.state.requestId,
      origin: originOf(ctx, deps),
      waitMs: readPrefer(ctx.get('Prefer'), usualWaitMs).waitMs,
      signal,
    };
    const response = await answer(tools, call, request);
    // Without a body Koa would write the status as one.
    ctx.body = response.body && Readable.from(response.body, { objectMode: false });
    ctx.status = response.status;
    for (const [name, value] of response.headers) ctx.set(name, value);
    ctx.set('Cache-Control', 'no-store');
  };
}
