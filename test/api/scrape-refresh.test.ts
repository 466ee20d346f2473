import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';
import { startOrigin } from '../support/egress-origin.ts';

type Page = string | ((response: ServerResponse, cookie: string) => void);
interface Scraped {
  finalUrl: string;
  title: string;
  engine: string;
  statusCode: number;
  redirects: { url: string; status: number; location: string }[];
}

const meta = (content: string) => `<meta http-equiv="refresh" content="${content}">`;
const end = '<title>The end</title><p>Here.';

/** A site of these pages, the first of which is asked for; `seen` has the paths that were asked for, and with what. */
async function scrape(pages: Record<string, Page>, options: Record<string, unknown> = {}, asked = '/') {
  const seen: string[] = [];
  await using origin = await startOrigin((request, response) => {
    const { cookie = '', 'x-own': own } = request.headers;
    seen.push([request.url, cookie, own].filter(Boolean).join(' '));
    const page = pages[request.url ?? ''];
    if (typeof page === 'function') page(response, cookie);
    else response.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(page ?? '');
  });
  const body = { url: origin.url.slice(0, -1) + asked, ...options };
  const { body: answer } = await call(scrapePath, { body });
  const inside = (url: string) => url.replace(origin.url, '/');
  const data = answer['data'] as Scraped | undefined;
  const warnings = (answer['meta']?.warnings ?? []) as { code: string }[];
  return {
    ...data,
    code: answer['code'] as string | undefined,
    finalUrl: inside(data?.finalUrl ?? ''),
    redirects: data?.redirects.map((hop) => [inside(hop.url), hop.status, inside(hop.location)]),
    warnings: warnings.map(({ code }) => code),
    seen,
  };
}

describe('a refresh, over plain HTTP', () => {
  test.each<[string, Page]>([
    ['at once', meta('0; url=/end#part')],
    ['after seconds', `<p>Wait</p>${meta('9; url=/end#part')}`],
    ['with a quote that nobody closes', meta("0;url='/end#part")],
    ['of several the soonest', meta('5; url=/late') + meta('1; url=/end#part') + meta('900; url=/never')],
    ['against its base', `<base href="/there/">${meta('0; url=../end#part')}`],
    [
      'by a header',
      (response) =>
        void response.writeHead(200, { 'content-type': 'text/html', refresh: '1;url=/end#part' }).end('Wait'),
    ],
    [
      'by the header of a text',
      (response) =>
        void response
          .writeHead(200, { 'content-type': 'text/plain', refresh: '0;url=/end#part' })
          .end('Wait'),
    ],
    [
      'on a page longer than is read at once',
      `<p>${'It says something. '.repeat(3_000)}</p>${meta('0; url=/end#part')}`,
    ],
  ])('is followed %s', async (_how, page) => {
    const answer = await scrape({ '/': page, '/end': end }, { render: 'http' });
    expect(answer).toMatchObject({ title: 'The end', finalUrl: '/end#part', engine: 'http', warnings: [] });
    expect(answer.redirects).toEqual([['/', 200, '/end#part']]);
  });

  test.each([
    ['later than ten seconds', meta('11; url=/end')],
    ['in a comment', `<!-- ${meta('0; url=/end')} -->`],
    ['in a template', `<template>${meta('0; url=/end')}</template>`],
    ['for readers without scripts', `<noscript>${meta('0; url=/end')}</noscript>`],
    ['to an app', meta('0; url=market://details')],
    ['to itself', meta('5; url=/')],
    ['to nowhere', meta('5')],
  ])('is none %s', async (_where, page) => {
    const answer = await scrape(
      { '/': `<title>Start</title>${page}<p>Here.`, '/end': end },
      { render: 'http' },
    );
    expect(answer).toMatchObject({ title: 'Start', redirects: [], seen: ['/'] });
  });

  test('goes on from one to the next, with the cookies that they set', async () => {
    const first: Page = (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'seen=1; Path=/' })
        .end(meta('0; url=/two'));
    const pages = { '/': first, '/two': meta('0; url=/end'), '/end': end };
    const answer = await scrape(pages, { render: 'http' });
    expect(answer).toMatchObject({ title: 'The end', seen: ['/', '/two seen=1', '/end seen=1'] });
  });

  test('that never ends is stopped after three, with a warning', async () => {
    const count = (at: number): Page => `<title>${at}</title>${meta(`0; url=/${at + 1}`)}`;
    const pages = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`/${at}`, count(at)]));
    const answer = await scrape(pages, { render: 'http' }, '/0');
    expect(answer).toMatchObject({ title: '3', finalUrl: '/3', warnings: ['navigations_stopped'] });
    expect(answer.redirects).toHaveLength(3);
  });

  test('keeps what is for the first origin from others', async () => {
    const other: string[] = [];
    await using stranger = await startOrigin((request, response) => {
      other.push(`${request.headers.cookie} ${request.headers['x-own']}`);
      response.setHeader('content-type', 'text/html').end(end);
    });
    const own = { headers: { 'X-Own': 'yes' }, cookies: { own: '1' }, render: 'http' };
    const pages = { '/': meta('0; url=/two'), '/two': meta(`0; url=${stranger.url}`) };
    const answer = await scrape(pages, own);
    expect(answer).toMatchObject({ title: 'The end', seen: ['/ own=1 yes', '/two own=1 yes'] });
    expect(other).toEqual(['undefined undefined']);
  });

  const download = `<title>Start</title><p>Your download starts.${meta('0; url=/file')}`;
  const file =
    (headers: Record<string, string>, body = 'PK'): Page =>
    (response) =>
      void response.writeHead(200, headers).end(body);
  test.each<[string, Page]>([
    ['an archive', file({ 'content-type': 'application/zip' })],
    ['an archive of no type', file({}, 'PK\u0003\u0004\0\0')],
    ['what is called a download', file({ 'content-type': 'text/html', 'content-disposition': 'attachment' })],
    ['a PDF', file({ 'content-type': 'application/pdf' }, '%PDF-1.4')],
    ['a table', file({ 'content-type': 'text/csv' }, 'a,b')],
    ['what is too large', file({ 'content-type': 'text/html' }, 'a'.repeat(22_000_000))],
    ['no answer at all', (response) => void response.writeHead(204).end()],
  ])('stays on a page that leads to %s', async (_what, target) => {
    const answer = await scrape({ '/': download, '/file': target }, { render: 'http' });
    expect(answer).toMatchObject({ title: 'Start', statusCode: 200, finalUrl: '/', redirects: [] });
  });

  const silent: Page = () => undefined;
  test.each<[string, Page, Record<string, unknown>]>([
    ['whose time is up', (response) => void setTimeout(() => response.end(end), 3_000), { timeout: 1_000 }],
    ['that leads to a server that hangs', silent, {}],
  ])(
    'stays on a page %s, which is not kept',
    async (_what, target, options) => {
      await using origin = await startOrigin(({ url }, response) => {
        response.setHeader('content-type', 'text/html');
        if (url === '/') response.end(download);
        else if (typeof target === 'function') target(response, '');
      });
      const body = { url: origin.url, render: 'http', maxAge: 60_000, ...options };
      const { body: answer } = await call(scrapePath, { body });
      expect(answer['data']).toMatchObject({ title: 'Start', redirects: [], truncated: true });
      expect(answer['meta'].warnings).toMatchObject([{ code: 'page_never_settled' }]);
      const { body: again } = await call(scrapePath, { body: { ...body, timeout: 1_000 } });
      expect(again['meta'].cache.state).toBe('miss');
    },
    30_000,
  );

  test('on an error page is not followed', async () => {
    const missing: Page = (response) =>
      void response.writeHead(404, { 'content-type': 'text/html' }).end(download);
    const answer = await scrape({ '/': missing, '/file': end }, { render: 'http' });
    expect(answer).toMatchObject({ title: 'Start', statusCode: 404, redirects: [], seen: ['/'] });
  });

  test('to a private address is refused', async () => {
    const answer = await scrape({ '/': meta('0; url=http://10.0.0.1/') }, { render: 'http' });
    expect(answer.code).toBe('url_not_allowed');
  });
});

describe('a refresh, with render: auto', () => {
  test('needs no browser on a page without scripts', async () => {
    const answer = await scrape({ '/': `<p>Moved</p>${meta('4; url=/end')}`, '/end': end });
    expect(answer).toMatchObject({ title: 'The end', engine: 'http', redirects: [['/', 200, '/end']] });
  });

  test('of a page with scripts is left to them', async () => {
    const script = '<script>location.replace("/end")</script>';
    const pages = { '/': script + meta('5; url=/robots-only'), '/robots-only': 'No', '/end': end };
    expect(await scrape(pages)).toMatchObject({ title: 'The end', engine: 'browser' });
  });

  test('is waited for by the browser as long as it is followed elsewhere', async () => {
    const pages = { '/': `<title>Wait</title><script>1</script>${meta('6; url=/end')}`, '/end': end };
    const answer = await scrape(pages);
    expect(answer).toMatchObject({ title: 'The end', engine: 'browser', redirects: [['/', 200, '/end']] });
  }, 30_000);

  test('of an error page is followed by the browser, and what it leads to is not kept', async () => {
    await using origin = await startOrigin(({ url }, response) => {
      response.writeHead(url === '/end' ? 200 : 503, { 'content-type': 'text/html' });
      response.end(url === '/end' ? end : meta('0; url=/end'));
    });
    for (const state of ['miss', 'miss']) {
      const { body } = await call(scrapePath, { body: { url: origin.url, maxAge: 60_000 } });
      expect(body['data']).toMatchObject({ title: 'The end', engine: 'browser', statusCode: 200 });
      expect(body['meta'].cache.state).toBe(state);
    }
  }, 30_000);
});
