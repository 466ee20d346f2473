import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';

import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { readTimers } from '../../src/workers/browser/timer-watch.ts';
import { fetchSource } from '../../src/workers/page/fetch/fetch-source.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { snapshotHtml } from '../../src/workers/page/load/snapshot.ts';
import writeOutTags from '../../src/workers/page/html/write-out-tags.ts';
import { findXmlSource } from '../../src/workers/page/html/xml-source.ts';
import { readVisibleText } from '../../src/workers/page/html/visible-text.ts';
import { type BrowserBench, startBrowserBench } from '../support/browser.ts';

let bench: BrowserBench;
const long = `<p>${'The upper quarry employed four hundred people. '.repeat(40)}</p>`;
const late = 'It came late';

beforeAll(async () => {
  bench = await startBrowserBench();
  await bench.chromium.warmUp();
  const { site } = bench;
  site.serve('/late', `<p>${late}</p>`);
  site.serve(
    '/late.js',
    `export const show = () => { document.getElementById('late').textContent = '${late}' }`,
    'text/javascript',
  );
  site.serve('/part', '<div hx-get="/late" hx-trigger="load"></div>');
  site.serve('/boot.json', '{"parts": ["/one.bin", "/two.bin"]}', 'application/json');
  for (const path of ['/one.bin', '/two.bin']) site.serve(path, 'x'.repeat(50_000), 'application/wasm');
  site.serve('/target', `<title>Target</title>${long}<p>${late}</p>`);
}, 60_000);
afterAll(() => bench[Symbol.asyncDispose]());

async function read(path: string, html: string, type?: string) {
  bench.site.serve(path, html, type);
  return await bench.withPage({}, async (page, lease) => {
    const loaded = await loadPage(page, { url: bench.site.origin + path, timeoutMs: 10_000, lease });
    const shown = await snapshotHtml(page);
    const source = await findXmlSource(
      loaded,
      shown,
      () => fetchSource(lease, { url: loaded.finalUrl, status: loaded.statusCode, timeoutMs: 5_000 }),
      async (xhtml) => writeOutTags(xhtml),
    );
    return { loaded, shown, source, text: readVisibleText(source?.text ?? shown.html) };
  });
}

const put = `document.getElementById('late').textContent = '${late}'`;
const swap = `const swap = async (at) => {
  const text = await (await fetch(at.getAttribute('hx-get'))).text();
  setTimeout(() => { at.innerHTML = text; setTimeout(() => at.querySelectorAll('[hx-get]').forEach(swap), 20) }, 20);
}`;

describe('a page is done when it has come by itself to what it shows:', () => {
  it.each([
    ...[100, 250, 400, 800].map((ms) => [`a timer of ${ms} ms`, `setTimeout(() => { ${put} }, ${ms})`]),
    ['a timer that the load event sets', `onload = () => setTimeout(() => { ${put} }, 700)`],
    [
      'timers one after another',
      `setTimeout(() => setTimeout(() => setTimeout(() => { ${put} }, 250), 250), 250)`,
    ],
    ['parts that bring parts', `${swap}; onload = () => document.querySelectorAll('[hx-get]').forEach(swap)`],
    [
      'a part that comes into view',
      `new IntersectionObserver(async (seen, watch) => { watch.disconnect(); await fetch('/late'); setTimeout(() => { ${put} }, 100) }).observe(document.querySelector('h1'))`,
    ],
    [
      'an app that starts in steps',
      `(async () => { const { parts } = await (await fetch('/boot.json')).json();
        await Promise.all(parts.map(async (one) => (await fetch(one)).arrayBuffer()));
        const until = performance.now() + 300; while (performance.now() < until);
        await new Promise((go) => setTimeout(go, 200)); await fetch('/late'); ${put} })()`,
    ],
    ['a module that is imported later', `setTimeout(async () => (await import('/late.js')).show(), 300)`],
    ['idle time', `requestIdleCallback(() => requestIdleCallback(() => { ${put} }))`],
    ['frames', `requestAnimationFrame(() => requestAnimationFrame(() => { ${put} }))`],
    ['a transition', `setTimeout(() => document.startViewTransition(() => { ${put} }), 100)`],
    ['a task with a delay', `scheduler.postTask(() => { ${put} }, { delay: 400 })`],
    [
      'a message',
      `const { port1, port2 } = new MessageChannel(); port1.onmessage = () => { ${put} }; fetch('/late').then(() => port2.postMessage(0))`,
    ],
  ])('%s', async (how, script) => {
    const part = how.startsWith('parts') ? '<div hx-get="/part"></div>' : '';
    const page = `<title>T</title><h1>Slate</h1>${long}<div id="late"></div>${part}<script>${script}</script>`;
    for (const [path, html] of [
      ['/page', page],
      ['/shell', page.replace(long, '')],
    ] as const) {
      const { text, loaded } = await read(path, html);
      expect(text, path).toContain(late);
      expect(loaded, path).toMatchObject({ settled: true, warnings: [] });
    }
  });

  it.each([
    ['a script', `onload = () => setTimeout(() => location.assign('/target'), 300)`],
    ['a script, late', `onload = () => setTimeout(() => location.assign('/target'), 800)`],
    ['a form', `onload = () => setTimeout(() => document.forms[0].submit(), 200)`],
    [
      'a refresh that a script puts in',
      `onload = () => document.head.insertAdjacentHTML('beforeend', '<meta http-equiv="refresh" content="1; url=/target">')`,
    ],
    ['a request', `onload = () => fetch('/late').then(() => location.replace('/target'))`],
    [
      'itself',
      `if (document.cookie === '') { document.cookie = 'seen=1'; location.reload() } else location.replace('/target')`,
    ],
  ])('a redirect after the load event by %s', async (_how, script) => {
    for (const text of ['<p>One moment</p>', long]) {
      const html = `<title>T</title>${text}<form action="/target"></form><script>${script}</script>`;
      expect((await read('/leads', html)).loaded).toMatchObject({
        finalUrl: expect.stringMatching(/\/target\??$/) as string,
        title: 'Target',
        settled: true,
      });
    }
  });
});

describe('a page that shows next to nothing', () => {
  const shell = (script: string) => `<title>T</title><p id="late">One moment</p><script>${script}</script>`;
  const slow = `new Promise((go) => setTimeout(go, 900)).then(() => fetch('/late'))`;

  it.each([
    ['leads on', `setTimeout(() => location.replace('/target'), 2500)`],
    [
      'leads on in steps',
      `let n = 3; (function count() { n-- ? setTimeout(count, 800) : location.replace('/target') })()`,
    ],
    ['has its content by a timer behind slow parts', `${slow}.then(() => setTimeout(() => { ${put} }, 600))`],
  ])('is waited for: it %s', async (_what, script) => {
    const { text, loaded } = await read('/moment', shell(script));
    expect(text).toContain(late);
    expect(loaded).toMatchObject({ settled: true, warnings: [] });
  });

  it.each([
    ['has given up a timer', `const t = setTimeout(() => {}, 4500); setTimeout(() => clearTimeout(t), 50)`],
    ['has come before a timer', `setTimeout(() => {}, 4500); late.innerHTML = '${long}'`],
    ['asks again and again', `setInterval(() => fetch('/late'), 1000)`],
    ['asks every few seconds', `setInterval(() => fetch('/late'), 4000)`],
    ['looks at itself without end', `(function look() { setTimeout(look, 100) })()`],
  ])('is not waited for long that %s', { retry: 2 }, async (_what, script) => {
    const startedAt = performance.now();
    expect((await read('/moment', shell(script))).loaded.settled).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(3_500);
  });
});

describe('what answers when it will is waited for:', () => {
  const page = (script: string) => `<title>T</title>${long}<div id="late"></div><script>${script}</script>`;
  const worker = (code: string) => `new Worker('data:text/javascript,${encodeURIComponent(code)}')`;

  it.each([
    ['a worker', `${worker('setTimeout(() => postMessage(0), 700)')}.onmessage = () => { ${put} }`],
    [
      'a worker that is asked once it is ready',
      `const w = ${worker('onmessage = () => setTimeout(() => postMessage(1), 400); postMessage(0)')};
        w.onmessage = ({ data }) => { if (data === 1) { ${put} } else w.postMessage(0) }`,
    ],
    [
      'a worker that says that it is ready, when it has been asked already',
      `const w = ${worker('onmessage = () => setTimeout(() => postMessage(1), 500); postMessage(0)')};
        w.onmessage = ({ data }) => { if (data === 1) { ${put} } }; w.postMessage(0)`,
    ],
    ['events of the server', `new EventSource('/events').onmessage = () => { ${put} }`],
  ])('%s', async (_how, script) => {
    bench.site.serve('/events', 'retry: 600000\ndata: 1\n\n', 'text/event-stream');
    const { text, loaded } = await read('/page', page(script));
    expect(text).toContain(late);
    expect(loaded).toMatchObject({ settled: true, warnings: [] });
  });

  it('a WebSocket, that is asked, and a page that has one of which nothing comes is done all the same', async () => {
    const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(sockets, 'listening');
    const { port } = sockets.address() as AddressInfo;
    sockets.on('connection', (socket) => {
      socket.send('welcome');
      socket.on('message', (data: Buffer) => {
        if (data.toString() === 'rows?') setTimeout(() => socket.send('rows'), 500);
      });
    });
    await using door = createEgressDoor({ allow: [`127.0.0.1:${bench.site.port}`, `127.0.0.1:${port}`] });
    const url = `${bench.site.origin}/page`;
    const readWith = async (onMessage: string, onOpen = '') => {
      const open = `const s = new WebSocket('ws://127.0.0.1:${port}'); s.onopen = () => { ${onOpen} }`;
      bench.site.serve('/page', page(`${open}; s.onmessage = ({ data }) => { ${onMessage} }`));
      await using lease = door.openLease();
      return await bench.chromium.withPage({ lease }, async (at) => {
        const loaded = await loadPage(at, { url, timeoutMs: 10_000, lease });
        return { loaded, text: readVisibleText((await snapshotHtml(at)).html) };
      });
    };
    const asked = await readWith(`if (data === 'welcome') s.send('rows?'); else { ${put} }`);
    expect(asked.text).toContain(late);
    const askedAtOnce = await readWith(`if (data === 'rows') { ${put} }`, 's.send("rows?")');
    expect(askedAtOnce.text).toContain(late);
    const silent = await readWith('s.send("nothing?")');
    expect(silent.loaded).toMatchObject({ settled: true, warnings: [] });
    for (const one of sockets.clients) one.terminate();
    sockets.close();
  });

  it('named events of the server, and nothing more of what is over', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'access-control-allow-origin': '*' });
      response.write(': ready\n\n');
      // It stays open.
      setTimeout(() => response.write('event: rows\ndata: 1\n\n'), 500);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await using door = createEgressDoor({ allow: [`127.0.0.1:${bench.site.port}`, `127.0.0.1:${port}`] });
    const url = `${bench.site.origin}/page`;
    const events = `new EventSource('http://127.0.0.1:${port}/')`;
    const cases = [
      [`${events}.addEventListener('rows', () => { ${put} })`, null],
      [`over = ${events}`, 'over.close()'],
      [`over = ${worker('')}`, 'over.terminate()'],
    ] as const;
    for (const [script, end] of cases) {
      bench.site.serve('/page', page(script));
      await using lease = door.openLease();
      await bench.chromium.withPage({ lease }, async (at) => {
        await loadPage(at, { url, timeoutMs: 10_000, lease });
        if (end === null) expect(readVisibleText((await snapshotHtml(at)).html)).toContain(late);
        else {
          expect((await readTimers(at))?.shortMs).toBeGreaterThan(0);
          await at.evaluate(end);
        }
        await expect.poll(async () => (await readTimers(at))?.shortMs).toBeLessThanOrEqual(0);
      });
    }
    server.closeAllConnections();
    server.close();
  });

  it('and looks to a page as it is', async () => {
    const { text } = await read(
      '/page',
      page(`const made = ${worker('')}; class Own extends WebSocket {}
        late.textContent = [made instanceof Worker, made.constructor === Worker, Object.keys(window).includes('Worker'),
          Own.name, String(WebSocket).includes('[native code]'), WebSocket.OPEN, Worker.prototype.postMessage.length,
          Worker.prototype.terminate.name, EventSource.prototype.addEventListener.length, Object.keys(EventSource.prototype).includes('addEventListener')]`),
    );
    expect(text).toContain('true,true,false,Own,true,1,1,terminate,2,false');
  });
});

describe('XML in the browser', () => {
  const xsl = (inner: string) =>
    `<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">${inner}</xsl:stylesheet>`;
  const styled =
    '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/style"?><list><one>Slate</one></list>';

  it.each([
    ['makes nothing', xsl('<xsl:template match="/"/>')],
    ['makes an empty page', xsl('<xsl:template match="/"><html><body/></html></xsl:template>')],
    ['makes an empty text', xsl('<xsl:output method="text"/><xsl:template match="/"/>')],
    ['knows none of its elements', xsl('<xsl:template match="other"><p/></xsl:template>')],
    ['makes a comment', xsl('<xsl:template match="/"><xsl:comment>a</xsl:comment></xsl:template>')],
    ['is no XML', '<xsl:stylesheet'],
    ['is no style sheet', '<html><p>Not found</p></html>'],
    [
      'fails when it runs',
      xsl('<xsl:template match="/"><xsl:message terminate="yes">no</xsl:message></xsl:template>'),
    ],
    [
      'asks for what is not there',
      xsl('<xsl:import href="/none.xsl"/><xsl:template match="/"><p/></xsl:template>'),
    ],
    [
      'calls what does not exist',
      xsl('<xsl:template match="/"><p><xsl:value-of select="none()"/></p></xsl:template>'),
    ],
  ])('whose style sheet %s is read as it came', async (_what, sheet) => {
    bench.site.serve('/style', sheet, 'text/xsl');
    const { source, loaded } = await read('/styled', styled, 'text/xml');
    expect(source).toMatchObject({ text: styled, warnings: [{ code: 'xml_not_styled' }] });
    expect(loaded.settled).toBe(true);
  });

  it('whose style sheet makes a picture, or text alone, is that', async () => {
    bench.site.serve(
      '/style',
      xsl('<xsl:template match="/"><html><img src="/a.png"/></html></xsl:template>'),
      'text/xsl',
    );
    const picture = await read('/styled', styled, 'text/xml');
    expect([picture.source, picture.shown.html]).toEqual([null, expect.stringContaining('<img')]);
    const text = xsl('<xsl:output method="text"/><xsl:template match="/">Only text</xsl:template>');
    bench.site.serve('/style', text, 'text/xsl');
    const { source, shown } = await read('/styled', styled, 'text/xml');
    expect([source, shown.html]).toEqual([null, expect.stringContaining('Only text')]);
  });

  it.each([
    ['text/xml', '<list><one>Slate</one></list>'],
    ['application/xml; charset=utf-8', '<list><one>Käse</one></list>'],
    ['application/rss+xml', '<rss version="2.0"><channel><title>Slate</title></channel></rss>'],
    ['application/atom+xml', '<feed xmlns="http://www.w3.org/2005/Atom"><title>Slate</title></feed>'],
    [
      'application/rss+xml',
      '<?xml version="1.0" encoding="UTF-8"?><rss><channel><title>Zürich</title></channel></rss>',
    ],
    ['text/xml', '<list><one>Slate</one><cut'],
    ['text/xml', '<list>&undefined;</list>'],
    ['text/xml', '<?xml version="1.0"?><list xmlns:h="http://www.w3.org/1999/xhtml"><h:p>Slate</h:p></list>'],
  ])('that has no style sheet (%s %s) is read as it came', async (type, xml) => {
    const { source } = await read('/plain', xml, type);
    expect(source).toMatchObject({ text: xml, warnings: [{ code: 'xml_not_styled' }] });
  });

  it('is asked for once more only where an answer of the same status comes', async () => {
    await bench.withPage({}, async (_page, lease) => {
      bench.site.serve('/plain', '<rss><title>Zürich</title></rss>', 'application/rss+xml');
      const ask = (status: number) =>
        fetchSource(lease, { url: `${bench.site.origin}/plain`, status, timeoutMs: 5_000 });
      expect(await ask(200)).toMatchObject({ charset: 'utf-8' });
      expect(await ask(404)).toBeNull();
    });
  });

  const xhtml = (body: string) =>
    `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title></head><body>${body}</body></html>`;

  it('that is XHTML is a page', async () => {
    const { source, text, shown } = await read(
      '/xhtml',
      xhtml('<p>Slate</p><script>document.querySelector("p").textContent += " and stone"</script>'),
      'application/xhtml+xml',
    );
    expect([source, shown.title]).toEqual([null, 'T']);
    expect(text).toContain('Slate and stone');
  });

  it('that is XHTML with a mistake is shown as far as it goes, and all that came is there', async () => {
    const { text } = await read('/xhtml', xhtml('<p>Slate<br></p><p>Behind it</p>'), 'application/xhtml+xml');
    expect(text).toContain('Slate');
    expect(text).toContain('Behind it');
    expect(text).not.toContain('This page contains the following errors');
  });

  it('that is XHTML by its namespace only is a page, over HTTP too', async () => {
    const { source, text } = await read('/xhtml', xhtml('<p>Slate</p>'), 'text/xml');
    expect(source).toBeNull();
    expect(text).toContain('Slate');
  });
});
