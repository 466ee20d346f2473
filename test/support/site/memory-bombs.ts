import { makePng } from './files.ts';
import { sendHtml, type SitePage } from './page.ts';

const mebibyte = 1024 * 1024;

/** Pages that take memory without end, each kind where Chromium keeps it elsewhere. */
export const memoryBombs: Record<string, SitePage> = {
  '/bomb/array-buffers': forEver('kept.push(new Uint8Array(size).fill(++n))'),
  '/bomb/canvases': forEver(`
    const canvas = document.createElement('canvas'); canvas.width = canvas.height = 4_000;
    const draw = canvas.getContext('2d'); draw.fillRect(0, 0, 4_000, 4_000); draw.getImageData(0, 0, 1, 1);
    kept.push(canvas)`),
  '/bomb/wasm': forEver(`
    const memory = new WebAssembly.Memory({ initial: size / 65_536 });
    new Uint8Array(memory.buffer).fill(++n); kept.push(memory)`),
  '/bomb/blobs': forEver('kept.push(new Blob([new Uint8Array(size).fill(++n)]))'),
  '/bomb/workers': forEver(`
    kept.push(new Worker(URL.createObjectURL(new Blob(['const kept = new Uint8Array(67108864).fill(1); setInterval(() => kept[0], 1e6)']))))`),
  '/bomb/webgl': forEver(`
    globalThis.gl ??= document.createElement('canvas').getContext('webgl');
    const texture = gl.createTexture(); gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 4_000, 4_000, 0, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(64_000_000).fill(++n)); kept.push(texture)`),
  '/bomb/nodes': forEver(
    'document.body.insertAdjacentHTML("beforeend", "<p>A node and its text</p>".repeat(100_000))',
  ),
  '/bomb/iframes': forEver(`
    const frame = document.createElement('iframe'); frame.src = '/bomb/iframe-part?' + ++n; document.body.append(frame)`),
  /** Sites of their own, where each has a process of its own. */
  '/bomb/foreign-iframes': forEver(`
    const frame = document.createElement('iframe'); frame.src = 'http://127.0.0.' + (2 + (++n % 200)) + ':' + location.port + '/bomb/iframe-part'; document.body.append(frame)`),
  '/bomb/iframe-part': ({ response }) =>
    sendHtml(
      response,
      '<title>Part</title><script>globalThis.kept = new Uint8Array(33554432).fill(1)</script>',
    ),
  '/bomb/popups': forEver(`kept.push(open('/bomb/iframe-part?popup=' + ++n))`),
  '/bomb/service-workers': forEver(`
    navigator.serviceWorker.register('/bomb/service-worker.js?' + ++n, { scope: '/bomb/scope-' + n }).catch(() => {})`),
  '/bomb/service-worker.js': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/javascript', 'service-worker-allowed': '/' });
    response.end(
      'const kept = new Uint8Array(67108864).fill(1); oninstall = () => skipWaiting(); onfetch = () => kept[0]; setInterval(() => kept[0], 100);',
    );
  },
  '/bomb/videos': forEver(`
    const video = document.createElement('video'); video.autoplay = video.muted = true; video.src = '/bomb/video.bin?' + ++n; document.body.append(video)`),
  '/bomb/video.bin': ({ response }) => {
    response.writeHead(200, { 'content-type': 'video/mp4' });
    response.end(
      Buffer.concat([
        Buffer.from('000000186674797069736f6d0000020069736f6d69736f32', 'hex'),
        Buffer.alloc(8 * mebibyte),
      ]),
    );
  },
  '/bomb/images': forEver(`
    const image = new Image(); image.src = '/bomb/image.png?' + ++n; image.decode().catch(() => {}); document.body.append(image)`),
  '/bomb/image.png': ({ response }) => {
    response
      .writeHead(200, { 'content-type': 'image/png' })
      .end((hugeImage ??= makePng(8_000, 8_000, [0, 100, 0])));
  },
};

/** 256 million bytes of pixels in some hundred thousand. */
let hugeImage: Buffer | undefined;

function forEver(code: string): SitePage {
  return ({ response, url }) =>
    sendHtml(
      response,
      `<title>${url.pathname.slice(1)}</title><h1>Here</h1><p>${'Text. '.repeat(60)}</p><script>
      const kept = [], size = ${64 * mebibyte}; let n = 0;
      setInterval(() => { ${code}; }, 10);
      </script>`,
    );
}
