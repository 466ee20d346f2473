import { Router } from '@koa/router';
import Koa from 'koa';
import { AppError } from '../shared/errors.ts';
import { noTracing } from '../shared/tracing/tracing.ts';
import { version } from '../shared/version.ts';
import { serveBoard } from './board/serve-board.ts';
import { boardPath } from './board/bull-board.ts';
import { createAcceptJob } from './accept-job.ts';
import { serveConsole, serveConsoleFile } from './console/serve-console.ts';
import type { ApiDeps } from './deps.ts';
import { serveDocs } from './docs/serve-docs.ts';
import type { Feed } from './feed/feed.ts';
import { eventsPath } from './feed/events-path.ts';
import { serveSse } from './feed/serve-sse.ts';
import { serveFile } from './files.ts';
import { addressOf } from './http/authenticate.ts';
import { refuseBrokenHost } from './http/broken-host.ts';
import { setCommonHeaders } from './http/common-headers.ts';
import type { ApiState } from './http/context.ts';
import { endUnread } from './http/end-unread.ts';
import { readQueriesInLinearTime } from './http/linear-query.ts';
import { methodNotAllowed } from './http/method-not-allowed.ts';
import { answerProblems } from './http/problem.ts';
import { shortenLists } from './http/short-lists.ts';
import { traceRequests } from './http/trace-requests.ts';
import { serveMcp } from './mcp/serve-mcp.ts';
import { measureRequests } from './metrics/measure-requests.ts';
import { serveMetrics } from './metrics/serve-metrics.ts';
import { mount } from './mount.ts';
import type { JobPresenter } from './present-job.ts';
import { serveTunnel } from './tunnel.ts';
import { serveOpenApi } from './openapi.ts';
import { authPath } from './sessions/better-auth.ts';
import { serveAuth } from './sessions/serve-auth.ts';

export interface AppParts {
  deps: ApiDeps;
  presenter: JobPresenter;
  feed: Feed;
}

export async function createApp({ deps, presenter, feed }: AppParts): Promise<Koa<ApiState>> {
  const app = new Koa<ApiState>();
  readQueriesInLinearTime(app);
  const router = new Router<ApiState>({ sensitive: true });

  app.use(setCommonHeaders);
  app.use(endUnread((ctx) => ctx.state.principal?.userId ?? ctx.state.user?.userId ?? addressOf(ctx, deps)));
  if (deps.tracing !== noTracing) app.use(traceRequests(deps.tracing));
  app.use(measureRequests(deps.metrics));
  app.use(answerProblems(deps.log));
  app.use(refuseBrokenHost);
  app.use(shortenLists);
  router.get('/openapi.json', await serveOpenApi(deps));
  router.get('/', serveConsole);
  router.get('/icon.svg', (ctx) => serveConsoleFile(ctx, 'icon.svg'));
  router.get('/assets/:name', (ctx) => serveConsoleFile(ctx, `assets/${ctx.params['name'] ?? ''}`));
  serveDocs(router);
  router.get('/livez', (ctx) => {
    ctx.body = { status: 'ok', version };
  });
  router.get('/readyz', async (ctx) => {
    const readiness = await deps.health.readiness();
    ctx.status = readiness.ready ? 200 : 503;
    ctx.body = readiness;
  });
  const sendBoard = serveBoard(deps);
  router.get([boardPath, `${boardPath}/{*path}`], sendBoard);
  router.get('/metrics', serveMetrics(deps));
  const sendFile = serveFile(deps);
  router.get('/files/:id', (ctx) => sendFile(ctx, ctx.params['id'] ?? ''));
  const sendTunnel = serveTunnel(deps);
  router.get('/tunnel/:id', (ctx) => sendTunnel(ctx, ctx.params['id'] ?? ''));
  const sendAuth = serveAuth(deps);
  router.register(`${authPath}/{*path}`, ['GET', 'POST'], (ctx) => sendAuth(ctx));
  const sendEvents = serveSse(deps, feed);
  router.register(eventsPath, ['GET'], (ctx) => sendEvents(ctx));
  // One for all: operations share the slots of their queue.
  const acceptJob = createAcceptJob(deps);
  const fixed = await mount(deps, router, { presenter, acceptJob });
  const sendMcp = serveMcp({ deps, presenter, acceptJob });
  router.register('/mcp', ['GET', 'POST', 'DELETE'], (ctx) => sendMcp(ctx));

  // Without a walk over all routes.
  app.use((ctx, next) => fixed.get(`${ctx.method} ${ctx.path}`)?.(ctx) ?? next());
  app.use(router.routes());
  app.use((ctx) => {
    const methods = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods);
    if (methods.length > 0) throw methodNotAllowed(ctx.method, methods);
    throw new AppError('not_found', `There is nothing at ${ctx.path.slice(0, 200)}. Check the path.`);
  });
  // Answered problems are logged where they are made; this is what broke while an answer was being sent.
  app.on('error', (error: Error) => deps.log.warn({ err: error }, 'an answer broke off'));
  return app;
}
