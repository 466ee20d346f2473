import { deadOrigin, sendHtml, type SitePage } from './page.ts';

const redirect =
  (location: string, status = 302): SitePage =>
  ({ response }) =>
    void response.writeHead(status, { location }).end();

const refresh =
  (target: string): SitePage =>
  ({ response }) =>
    sendHtml(response, `<title>Wait</title><meta http-equiv="refresh" content="1; url=${target}">`);

/** Answers HEAD as if it were another page. */
const differs =
  (head: number, get: number): SitePage =>
  ({ request, response }) =>
    void response.writeHead(request.method === 'HEAD' ? head : get, { 'content-type': 'text/html' }).end();

/** Pages for those who only ask where a URL leads and whether it answers. */
export const urlPages: Record<string, SitePage> = {
  '/url/no-head': ({ request, response }) => {
    if (request.method === 'HEAD') response.writeHead(404).end();
    else sendHtml(response, '<title>Here</title>');
  },
  '/url/head-gone': differs(410, 200),
  '/url/head-fails': differs(500, 200),
  '/url/get-gone': differs(200, 410),
  '/url/get-missing': differs(200, 404),
  '/url/get-fails': differs(200, 500),
  '/url/head-hangs': ({ request, response }) => {
    if (request.method !== 'HEAD') sendHtml(response, '<title>Here</title>');
  },
  // Longer than any page that is read, and its length is not told before.
  '/url/long': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<title>Long</title><link rel="canonical" href="/url/short">');
    for (let n = 0; n < 30; n++) response.write(Buffer.alloc(1_000_000, 'word '));
    response.end();
  },
  '/url/not-zipped': ({ response }) =>
    void response
      .writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' })
      .end('<title>Said to be gzip</title>'),
  '/url/head-resets': ({ request, response }) => {
    if (request.method === 'HEAD') request.socket.destroy();
    else sendHtml(response, '<title>Here</title>');
  },
  '/url/head-loops': ({ request, response }) => {
    if (request.method === 'HEAD') response.writeHead(302, { location: request.url ?? '/' }).end();
    else sendHtml(response, '<title>Here</title>');
  },
  '/url/head-without-location': ({ request, response }) => {
    if (request.method === 'HEAD') response.writeHead(302).end();
    else sendHtml(response, '<title>Here</title>');
  },
  '/url/endless-body': ({ response }) => {
    response.writeHead(200, { 'content-type': 'video/mp4' });
    const timer = setInterval(() => response.write('x'.repeat(10_000)), 20);
    response.on('close', () => clearInterval(timer));
  },
  // Its headers come, and then nothing.
  '/url/silent-body': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' }).flushHeaders();
  },
  '/url/late-refresh': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' }).flushHeaders();
    setTimeout(() => response.end('<meta http-equiv=refresh content="0;url=/url/end">'), 5_500);
  },
  '/url/to-long': redirect(`/url/end?${'x'.repeat(9_000)}`),
  '/url/to-app': redirect('market://details?id=quarry'),
  '/url/moved': redirect('/url/meta', 301),
  '/url/meta': ({ response }) =>
    sendHtml(
      response,
      '<title>Moved</title><meta http-equiv="Refresh" content="0; URL=\'/url/header?a=1&amp;b=2\'">',
    ),
  '/url/header': ({ response }) => {
    response.setHeader('refresh', '3;url=/url/end#part');
    sendHtml(response, '<title>Moved again</title>');
  },
  '/url/end': ({ response }) =>
    sendHtml(response, '<title>The end</title><base href="/canon/"><link rel="canonical" href="end">'),
  '/url/canonical-header': ({ response }) => {
    response.setHeader('link', '</style.css>; rel=preload, <https://example.com/canonical>; rel="canonical"');
    sendHtml(response, '<title>Canonical</title>');
  },
  '/url/reloads': ({ response }) =>
    sendHtml(
      response,
      '<title>Clock</title><meta http-equiv="refresh" content="5"><meta http-equiv="refresh" content="60;url=/x">',
    ),
  '/url/loop-a': redirect('/url/loop-b'),
  '/url/loop-b': redirect('/url/loop-c', 307),
  '/url/loop-c': redirect('/url/loop-a', 303),
  // Redirects to itself until its cookie comes back, as many consent walls do.
  '/url/cookie-first': ({ request, response }) => {
    if (request.headers.cookie === 'seen=1') sendHtml(response, '<title>Seen</title>');
    else response.writeHead(302, { location: '/url/cookie-first', 'set-cookie': 'seen=1; Path=/' }).end();
  },
  '/url/refresh-a': refresh('/url/refresh-b'),
  '/url/refresh-b': refresh('/url/refresh-a'),
  '/url/to': ({ response, url }) =>
    void response.writeHead(302, { location: url.searchParams.get('url') ?? '/' }).end(),
  '/url/to-dead': redirect(`${deadOrigin}/gone`),
  '/url/unicode': redirect(Buffer.from('/url/end?n=ä').toString('latin1')),
};
