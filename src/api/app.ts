import { Router } from '@koa/router';
import Koa from 'koa';
import { AppError } from '../shared/errors.ts';
import { version } from '../shared/version.ts';
import type { ApiDeps } from './deps.ts';
import { serveFile } from './files.ts';
import type { ApiState } from './http/context.ts';
import { answerProblems } from './http/problem.ts';
import { giveRequestId } from './http/request-id.ts';
import { mount } from './mount.ts';
import { serveOpenApi } from './openapi.ts';
import { authPath } from './sessions/better-auth.ts';
import { serveAuth } from './sessions/serve-auth.ts';

export async function createApp(deps: ApiDeps): Promise<Koa<ApiState>> {
  const app = new Koa<ApiState>();
  const router = new Router<ApiState>();

  app.use(giveRequestId);
  app.use(answerProblems(deps.log));
  router.get('/openapi.json', await serveOpenApi(deps));
  router.get('/livez', (ctx) => {
    ctx.body = { status: 'ok', version };
  });
  router.get('/readyz', async (ctx) => {
    const ready = await deps.health.isReady();
    ctx.status = ready ? 200 : 503;
    ctx.body = { ready, ...(await deps.health.report()) };
  });
  const sendFile = serveFile(deps);
  router.get('/files/:id', (ctx) => sendFile(ctx, ctx.params['id'] ?? ''));
  const sendAuth = serveAuth(deps.auth, deps.config);
  router.all(`${authPath}/{*path}`, (ctx) => sendAuth(ctx));
  await mount(deps, router);

  app.use(router.routes());
  app.use((ctx) => {
    const methods = router
      .match(ctx.path, ctx.method)
      .path.flatMap((layer) => layer.methods)
      .filter((method) => method !== 'HEAD');
    if (methods.length > 0) {
      const allow = [...new Set(methods)].join(', ');
      throw new AppError('method_not_allowed', `${ctx.method} is not possible here. Use ${allow}.`, {
        headers: { Allow: allow },
      });
    }
    throw new AppError('not_found', `There is nothing at ${ctx.path.slice(0, 200)}. Check the path.`);
  });
  // Answered problems are logged where they are made; this is what broke while an answer was being sent.
  app.on('error', (error: Error) => deps.log.warn({ err: error }, 'an answer broke off'));
  return app;
}
