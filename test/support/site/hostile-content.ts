import { sendHtml, type SitePage } from './page.ts';

const text = `<p>${'Text that is there from the start. '.repeat(40)}</p>`;

/** Pages that do harm, or try to, by what they hold. */
export const hostileContentPages: Record<string, SitePage> = {
  '/regex-bomb': script('for (;;) /^(a+)+$/.test("a".repeat(40) + "!");'),
  '/before-unload': script('onbeforeunload = (event) => { event.preventDefault(); return "Stay"; };'),
  '/print': script('print(); addEventListener("load", () => print());'),
  '/gpu-shader': script(`
    const gl = document.body.appendChild(document.createElement('canvas')).getContext('webgl');
    if (gl) {
      const program = gl.createProgram();
      for (const [type, source] of [
        [gl.VERTEX_SHADER, 'attribute vec4 p; void main() { gl_Position = p; }'],
        [gl.FRAGMENT_SHADER, 'void main() { float x = 0.0; for (int i = 0; i < 100000000; i++) x += sin(float(i)); gl_FragColor = vec4(x); }'],
      ]) {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, source); gl.compileShader(shader); gl.attachShader(program, shader);
      }
      gl.linkProgram(program); gl.useProgram(program); gl.drawArrays(gl.TRIANGLES, 0, 300000);
    }`),
  '/request-flood': script('for (let n = 0; n < 100000; n++) new Image().src = "/image.png?flood=" + n;'),
  '/file-chooser': script(`
    const input = document.body.appendChild(document.createElement('input'));
    input.type = 'file'; input.click(); input.showPicker?.();`),
  '/other-schemes': script(
    `for (const to of ['mailto:a@b.c', 'tel:123', 'intent://x#Intent;scheme=y;end']) location.href = to;`,
  ),
  '/storage': script(`
    const seen = async () => [
      document.cookie, localStorage.seen, (await indexedDB.databases()).length, (await caches.keys()).length,
      window.name, history.length > 2,
    ].join('|');
    (async () => {
      document.title = 'Before: ' + await seen();
      document.cookie = 'a=1'; localStorage.seen = 'yes'; indexedDB.open('kept'); await caches.open('kept');
      window.name = 'kept'; history.pushState({}, '', '#1'); history.pushState({}, '', '#2');
      const channel = new BroadcastChannel('kept');
      channel.onmessage = () => { document.title = 'Heard another job'; };
      setInterval(() => channel.postMessage('hello'), 20);
    })();`),
  '/socket-open': script(`
    const keep = () => { const s = new WebSocket('ws://' + location.host + '/never-answers'); s.onclose = keep; };
    keep(); fetch('/never-answers?poll');`),
  '/deep-dom': ({ response }) => {
    sendHtml(response, `<title>Deep</title>${'<div>'.repeat(100_000)}Bottom`);
  },
  /** By TLS, where each request is held up until it is admitted. */
  '/large-posts': script(`
    for (let n = 0; n < 2; n++) fetch('https://' + location.hostname + ':1/', { method: 'POST', mode: 'no-cors', body: 'a'.repeat(40e6) }).catch(() => {});`),
  '/xhtml-of-quotes': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/xhtml+xml' });
    response.end(`<html xmlns="http://www.w3.org/1999/xhtml"><body><p${' ="" b'.repeat(600_000)}>Slate</p>`);
  },
  '/malformed': ({ response }) => {
    const attributes = Array.from({ length: 1_000 }, (_, index) => `a${index}=${index}`).join(' ');
    sendHtml(
      response,
      `<title>Malformed</title><div ${attributes}><p>One<p>Two<table><tr><td><a href="/article">A link</a><b><i></b>
      <a href=/about>Another</a></table></span></div></div><!-- a comment without an end ${'x'.repeat(5_000)}`,
    );
  },
  '/cloaking': ({ request, response }) => {
    const isBot = /bot|headless|crawl|puppeteer/i.test(request.headers['user-agent'] ?? 'bot');
    sendHtml(response, `<title>${isBot ? 'For bots' : 'For browsers'}</title>${text}`);
  },
  /** An SVG document with a script, and references to the origin in `?canary=`. */
  '/scripted.svg': ({ response, url }) => {
    const canary = url.searchParams.get('canary') ?? 'http://127.0.0.1:1';
    response.writeHead(200, { 'content-type': 'image/svg+xml' });
    response.end(`<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="90" height="60">
      <title>Drawing</title><image xlink:href="${canary}/svg-image" width="9" height="9"/><use href="${canary}/svg-use#x"/>
      <rect width="90" height="60" fill="teal"/><script>fetch('${canary}/svg-fetch', { mode: 'no-cors' })</script></svg>`);
  },
};

function script(code: string): SitePage {
  return ({ response, url }) =>
    sendHtml(
      response,
      `<title>${url.pathname.slice(1)}</title><body><h1>Here</h1>${text}<script>${code}</script>`,
    );
}
