import { createHash } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';
import type { ApiContext } from '../http/context.ts';
import { isKnown } from '../http/send-file.ts';
import { type ConsoleFile, findConsoleFile } from './console-files.ts';

/** Files of this service only, and no inline code: what a page, an answer or a name carries in can run nothing. */
const contentPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const notBuilt = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Quarry</title>
<p>The console is being built, which takes some seconds after the first start; this page asks again by itself.
<p>Where it never comes, its tools are not installed: run <code>npm ci --include=dev</code>.
The API works without it: <a href="/openapi.json">/openapi.json</a>.`;

function protect(ctx: ApiContext): void {
  ctx.set({
    'Content-Security-Policy': contentPolicy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    Vary: 'Accept-Encoding',
  });
}

const find = (ctx: ApiContext, name: string): Promise<ConsoleFile | undefined> =>
  findConsoleFile(name, (encoding) => ctx.acceptsEncodings(encoding) === encoding);

function send(ctx: ApiContext, { bytes, type, encoding }: ConsoleFile): void {
  if (encoding !== null) ctx.set('Content-Encoding', encoding);
  ctx.type = type;
  ctx.body = bytes;
}

/** `GET /`: the console. Its pages are parts of it, named after `#`. */
export async function serveConsole(ctx: ApiContext): Promise<void> {
  protect(ctx);
  ctx.set('Cache-Control', 'no-cache');
  const file = await find(ctx, 'index.html');
  if (file === undefined) {
    ctx.status = 503;
    ctx.set('Retry-After', '2');
    ctx.type = 'text/html; charset=utf-8';
    ctx.body = notBuilt;
    return;
  }
  const etag = createHash('sha256').update(file.bytes).digest('base64url');
  ctx.set('ETag', `"${etag}"`);
  if (isKnown(ctx.get('If-None-Match'), etag)) ctx.status = 304;
  else send(ctx, file);
}

/** What the console is made of. The names of assets change with their content, so they are kept for good. */
export async function serveConsoleFile(ctx: ApiContext, name: string): Promise<void> {
  const file = await find(ctx, name);
  if (file === undefined) throw new AppError('not_found', 'The console has no such file.');
  protect(ctx);
  ctx.set('Cache-Control', name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
  send(ctx, file);
}
