import type { Router } from '@koa/router';
import type { Operation, Route } from '../shared/operation.ts';
import type { ApiState } from './http/context.ts';
import { methodNotAllowed } from './http/method-not-allowed.ts';

const fits = (pattern: string, path: string) =>
  new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path);

/**
 * `/api/keys/validate` is no key of `/api/keys/{id}`: a path that is declared as it stands has the methods that are
 * declared for it, and those of no other. To be called before the routes themselves are registered.
 */
export function reservePaths(router: Router<ApiState>, operations: readonly Operation[]): void {
  const routes = operations.flatMap(({ route }): Route[] => (route === null ? [] : [route]));
  const literal = Map.groupBy(
    routes.filter(({ path }) => !path.includes('{')),
    ({ path }) => path,
  );
  for (const [path, own] of literal) {
    const has = own.map(({ method }) => method);
    const others = routes.filter((route) => route.path !== path && fits(route.path, path));
    const refused = others.map(({ method }) => method).filter((method) => !has.includes(method));
    if (refused.length === 0) continue;
    router.register(path, refused, (ctx) => {
      throw methodNotAllowed(ctx.method, has);
    });
  }
}
