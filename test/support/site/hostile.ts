import { sendHtml, type SitePage } from './page.ts';

/** Pages that mean harm. */
export const hostilePages: Record<string, SitePage> = {
  /** Lies to every script that runs beside its own. */
  '/broken-built-ins': ({ response }) => {
    sendHtml(
      response,
      `<title>Broken built-ins</title><h1>It stands here</h1><script>
        const fail = () => { throw new Error('broken by the page'); };
        for (const name of ['map', 'filter', 'flatMap', 'push', 'slice', 'join', 'includes']) Array.prototype[name] = fail;
        JSON.stringify = JSON.parse = Object.assign = Object.entries = fail;
        Promise.prototype.then = fail;
        Document.prototype.querySelector = Document.prototype.querySelectorAll = () => null;
        Object.defineProperty(Document.prototype, 'title', { get: fail });
        Object.prototype.toJSON = () => 'a lie';
      </script>`,
    );
  },
  /** Speaks of cookies, calls whatever function it finds that is not its own, and talks without end. */
  '/flood': ({ response }) => {
    sendHtml(
      response,
      `<title>Flood</title><h1>Flood</h1>
      <div id="cookie-banner" style="position:fixed;bottom:0;height:90px">We use cookies. <button>Reject all</button></div>
      <script>
        const own = new Set(Object.getOwnPropertyNames(window));
        const much = 'x'.repeat(1e6);
        setInterval(() => {
          for (let n = 0; n < 30; n++) console.log(much, { much });
          for (const name of Object.getOwnPropertyNames(window)) {
            if (own.has(name) || typeof window[name] !== 'function') continue;
            document.title = 'found ' + name;
            for (let n = 0; n < 1000; n++) window[name](much);
          }
          Promise.reject(new Error(much));
        }, 5);
      </script>`,
    );
  },
  '/endless-script': ({ response }) => {
    sendHtml(response, '<title>Endless</title><h1>Endless</h1><script>for (;;);</script>');
  },
  '/endless-dialogs': ({ response }) => {
    sendHtml(
      response,
      `<title>Dialogs</title><h1>Dialogs</h1><p>${'Text. '.repeat(60)}</p><script>for (;;) alert('again');</script>`,
    );
  },
  '/endless-dialogs-later': ({ response }) => {
    sendHtml(
      response,
      `<title>Dialogs later</title><h1>Dialogs</h1><p>${'Text. '.repeat(60)}</p>
      <script>setInterval(() => alert('again'), 0)</script>`,
    );
  },
  '/some-dialogs': ({ response }) => {
    sendHtml(
      response,
      `<title>Some dialogs</title><h1>Dialogs</h1>
      <script>
        let left = 22;
        const again = setInterval(() => {
          alert('again');
          if (--left > 0) return;
          clearInterval(again);
          document.body.append(Object.assign(document.createElement('p'), { id: 'done' }));
        }, 300);
      </script>`,
    );
  },
  '/endless-later': ({ response }) => {
    sendHtml(
      response,
      `<title>Endless later</title><h1>Endless</h1><p>${'Text. '.repeat(60)}</p>
      <script>setTimeout(() => { for (;;); }, 300)</script>`,
    );
  },
  '/endless-workers': ({ response }) => {
    sendHtml(
      response,
      `<title>Workers</title><h1>Workers</h1><script>
      const code = URL.createObjectURL(new Blob(['for (;;);']));
      for (let n = 0; n < 4; n++) new Worker(code);
      </script>`,
    );
  },
  '/reload-loop': ({ response }) => {
    sendHtml(response, '<title>Reloading</title><script>location.reload()</script><h1>Reloading</h1>');
  },
  '/memory-hog': ({ response }) => {
    sendHtml(
      response,
      `<title>Hog</title><script>
      const kept = [];
      setInterval(() => { const part = new Uint8Array(64 * 1024 * 1024); part.fill(kept.length + 1); kept.push(part); }, 10);
      </script>`,
    );
  },
  '/local-schemes': ({ response, url }) => {
    const target = url.searchParams.get('to') ?? 'file:///etc/passwd';
    sendHtml(
      response,
      `<title>Local schemes</title><h1>Still here</h1><iframe src="${target}"></iframe>
      <script>addEventListener('load', () => { location.href = ${JSON.stringify(target)}; });</script>`,
    );
  },
  /** Tries every way out that a page has, towards the origin in `?canary=`. */
  '/leaks': ({ response, url }) => {
    const canary = url.searchParams.get('canary') ?? 'http://127.0.0.1:1';
    sendHtml(response, leaks(canary));
  },
};

function leaks(canary: string): string {
  const socket = canary.replace(/^http/, 'ws');
  const { hostname, port } = new URL(canary);
  return `<title>Leaks</title>
<link rel="preconnect" href="${canary}"><link rel="dns-prefetch" href="${canary}">
<link rel="prefetch" href="${canary}/prefetch"><link rel="preload" as="image" href="${canary}/preload">
<link rel="stylesheet" href="${canary}/style"><link rel="icon" href="${canary}/icon">
<style>body { background: url(${canary}/background) } @import url(${canary}/import);</style>
<h1>Leaks</h1><p>${'Text. '.repeat(60)}</p>
<img src="${canary}/image"><iframe src="${canary}/frame"></iframe><object data="${canary}/object"></object>
<video src="${canary}/video" poster="${canary}/poster" autoplay muted></video>
<script src="${canary}/script"></script>
<script>
const ignore = () => {};
fetch('${canary}/fetch', { mode: 'no-cors' }).catch(ignore);
navigator.sendBeacon('${canary}/beacon', 'x');
try { new EventSource('${canary}/events'); } catch {}
try { new WebSocket('${socket}/socket'); } catch {}
try { new Worker(URL.createObjectURL(new Blob(["fetch('${canary}/worker', { mode: 'no-cors' })"]))); } catch {}
try {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:${hostname}:${port}' }] });
  peer.createDataChannel('x');
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
} catch {}
const form = document.createElement('form');
form.action = '${canary}/form'; form.target = 'elsewhere'; document.body.append(form); form.submit();
window.open('${canary}/window');
</script>`;
}
