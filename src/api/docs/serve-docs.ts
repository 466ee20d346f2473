import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Router } from '@koa/router';
import type { ApiContext, ApiState } from '../http/context.ts';
import { isKnown } from '../http/send-file.ts';
import { createErrorPage } from './error-page.ts';
import { pageFrame } from './page-frame.ts';

interface Sent {
  type: string;
  bytes: Buffer;
  zipped: Buffer;
  etag: string;
}

/** Nothing from another origin, and no script or style in the page itself. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const types: Readonly<Record<string, string>> = { '.js': 'text/javascript', '.css': 'text/css' };

async function toSent(type: string, content: string | Buffer): Promise<Sent> {
  const bytes = Buffer.from(content);
  const etag = createHash('sha256').update(bytes).digest('base64url');
  return { type: `${type}; charset=utf-8`, bytes, zipped: await promisify(gzip)(bytes), etag };
}

function send(ctx: ApiContext, { type, bytes, zipped, etag }: Sent): void {
  ctx.set({
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
    ETag: `"${etag}"`,
  });
  ctx.vary('Accept-Encoding');
  if (isKnown(ctx.get('If-None-Match'), etag)) {
    ctx.status = 304;
    return;
  }
  ctx.type = type;
  const isZipped = ctx.acceptsEncodings('gzip', 'identity') === 'gzip';
  if (isZipped) ctx.set('Content-Encoding', 'gzip');
  ctx.body = isZipped ? zipped : bytes;
}

const createReference = () =>
  pageFrame({
    title: 'Quarry API reference',
    head: `<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<script src="/docs/assets/swagger-ui-bundle.js" defer></script>
<script src="/docs/assets/reference.js" defer></script>
`,
    main: '<div id="reference"><noscript>The reference needs JavaScript. The OpenAPI document does not.</noscript></div>',
  });

/** `/docs` and what it loads, each read and packed by the first request for it. */
export function serveDocs(router: Router<ApiState>): void {
  const viewer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const ours = join(import.meta.dirname, 'assets');
  const folders: Readonly<Record<string, string>> = {
    'swagger-ui.css': viewer,
    'swagger-ui-bundle.js': viewer,
    'reference.js': ours,
    'docs.css': ours,
  };
  function serve(path: string, make: () => Promise<Sent>): void {
    let made: Promise<Sent> | undefined;
    const makeOnce = () =>
      (made ??= make().catch((error: unknown) => {
        made = undefined;
        throw error;
      }));
    router.get(path, async (ctx) => send(ctx, await makeOnce()));
  }
  serve('/docs', () => toSent('text/html', createReference()));
  serve('/docs/errors', () => toSent('text/html', createErrorPage()));
  for (const [name, folder] of Object.entries(folders)) {
    serve(`/docs/assets/${name}`, async () =>
      toSent(types[extname(name)] ?? 'application/octet-stream', await readFile(join(folder, name))),
    );
  }
}
