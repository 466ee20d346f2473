import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { AppError } from '../../shared/errors.ts';
import type { ApiDeps } from '../deps.ts';
import type { ApiContext } from '../http/context.ts';
import { getSessionUser } from '../sessions/session-user.ts';
import { type Board, boardPath, createBoard } from './bull-board.ts';

/** Its styles are partly written into the page; scripts are files of ours only. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

type BoardDeps = Pick<ApiDeps, 'auth' | 'dispatcher' | 'findClientAddress' | 'gate'>;

/** @throws AppError `unauthenticated`, `forbidden` */
async function requireAdmin(ctx: ApiContext, deps: BoardDeps): Promise<void> {
  const user = await getSessionUser(ctx, deps);
  ctx.state.user = user;
  if (user.role !== 'admin')
    throw new AppError('forbidden', 'Only an admin may see the queues. Your role is user.');
}

async function sendStatic(ctx: ApiContext, folder: string, path: string): Promise<void> {
  const isPlain = /^(\/[\w-][\w.-]*)+$/.test(path);
  const bytes = isPlain ? await readFile(join(folder, path)).catch(() => null) : null;
  if (bytes === null) throw new AppError('not_found', 'The board has no such file.');
  ctx.type = extname(path);
  ctx.body = bytes;
}

/** `GET /admin/queues`: Bull Board, for admins who are signed in. */
export function serveBoard(deps: BoardDeps) {
  let board: Promise<Board> | undefined;
  return async (ctx: ApiContext): Promise<void> => {
    await requireAdmin(ctx, deps);
    board ??= createBoard(deps.dispatcher.queues).catch((error: unknown) => {
      board = undefined;
      throw error;
    });
    const { page, staticFolder, answer } = await board;
    ctx.set({
      'Cache-Control': 'private, no-cache',
      'Content-Security-Policy': contentPolicy,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    });
    const path = ctx.path.slice(boardPath.length);
    if (path.startsWith('/static/')) return await sendStatic(ctx, staticFolder, path.slice('/static'.length));
    if (path.startsWith('/api/')) {
      const answered = await answer(path, ctx.query);
      if (answered === null) throw new AppError('not_found', 'The board has no such call; it only shows.');
      ctx.status = answered.status;
      ctx.body = answered.body;
      return;
    }
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = page;
  };
}
