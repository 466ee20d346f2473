import type { ServerResponse } from 'node:http';

import { sendHtml, type SitePage } from './page.ts';

const waiting = new Set<() => void>();

/** Has `/slow` answer all who wait for it now, of all sites of this process. */
export function answerSlow(): void {
  for (const answer of waiting) answer();
}

/** Pages that differ in how they are sent. */
export const networkPages: Record<string, SitePage> = {
  '/redirect': ({ response, url }) => redirect(response, url.searchParams.get('to') ?? '/article'),
  '/redirect-loop': ({ response }) => redirect(response, '/redirect-loop'),
  // Fifteen hops, then a page.
  '/redirect-hops': ({ response, url }) => {
    const left = Number(url.searchParams.get('left') ?? 15);
    redirect(response, left > 1 ? `/redirect-hops?left=${left - 1}` : '/article');
  },
  '/redirect-private': ({ response }) => redirect(response, 'http://10.0.0.1/'),
  '/redirect-file': ({ response }) => redirect(response, 'file:///etc/passwd'),
  '/status': ({ response, url }) => {
    const status = Number(url.searchParams.get('code') ?? 404);
    if (status === 204) response.writeHead(204).end();
    else sendHtml(response, `<title>Status ${status}</title><h1>The page for ${status}</h1>`, status);
  },
  '/empty-error': ({ response }) => response.writeHead(500).end(),
  '/basic-auth': ({ response }) => {
    response.writeHead(401, { 'content-type': 'text/html', 'www-authenticate': 'Basic realm="quarry"' });
    response.end('<!doctype html><title>Sign in</title><h1>Sign in first</h1>');
  },
  '/slow': ({ response, url }) => {
    const answer = () => {
      clearTimeout(timer);
      waiting.delete(answer);
      sendHtml(response, '<title>Slow</title><h1>Slow</h1>');
    };
    const timer = setTimeout(answer, Number(url.searchParams.get('wait') ?? 1_500));
    waiting.add(answer);
  },
  '/never-answers': () => {},
  // Two bytes a second for ever.
  '/slow-body': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.write('<!doctype html><title>Drip</title><h1>The beginning</h1><p>');
    const timer = setInterval(() => response.write('xy'), 1_000);
    response.on('close', () => clearInterval(timer));
  },
  // Ends before its body, and never says so.
  '/slow-head': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.write('<title>Head</title><style>html { background: rgb(0, 128, 0) }</style>');
  },
  // Never ends, and has an image below what is seen that never comes either.
  '/slow-images': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    const image = '<img id="late" loading="lazy" width="10" height="10" src="/never-answers?image">';
    response.write(`<!doctype html><title>Images</title><body><div style="height: 5000px"></div>${image}<p>`);
  },
  // The page is there at once; one of its images never comes.
  '/hanging-image': ({ response }) => {
    sendHtml(response, '<title>Hanging image</title><h1>Almost whole</h1><img src="/never-answers?image">');
  },
  '/not-http': ({ response }) => {
    response.socket?.end('this is not HTTP\r\n\r\n');
  },
  '/hang-up': ({ response }) => {
    response.socket?.destroy();
  },
  /** Shows the request that it got, as JSON. */
  '/echo': ({ request, response }) => {
    response.writeHead(200, {
      'content-type': 'application/json',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    });
    response.end(JSON.stringify({ method: request.method, url: request.url, headers: request.headers }));
  },
  /** Loads an image from its own origin and one from the origin in `?other=`. */
  '/two-origins': ({ response, url }) => {
    const other = url.searchParams.get('other') ?? '';
    sendHtml(response, `<title>Two origins</title><img src="/echo?own"><img src="${other}/echo?other">`);
  },
  '/set-cookie': ({ response }) => {
    response.setHeader('set-cookie', 'visited=yes; Path=/');
    sendHtml(
      response,
      `<title>Storage</title><script>
      const before = [document.cookie, localStorage.getItem('seen')].join('|');
      localStorage.setItem('seen', 'yes'); document.cookie = 'script=yes'; document.title = 'Before: ' + before;
      </script>`,
    );
  },
};

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end();
}
