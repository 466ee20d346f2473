import { sendHtml, type SitePage } from './page.ts';

const text = `<h1>Behind the banner</h1><p>${'Text of the page. '.repeat(60)}</p>`;

/** Pages with what a reader does not want to see. */
export const consentPages: Record<string, SitePage> = {
  /** The markup of a consent platform that autoconsent knows by name (Cookie Script). */
  '/known-banner': ({ response }) => {
    sendHtml(
      response,
      `<title>Known banner</title>${text}
      <div id="cookiescript_injected" style="position:fixed;bottom:0;left:0;right:0;height:200px;background:red">
      We use cookies. <div id="cookiescript_reject">Decline</div><div id="cookiescript_accept">Accept</div></div>
      <script>
      document.getElementById('cookiescript_reject').onclick = () => {
        document.cookie = 'refused=yes'; document.getElementById('cookiescript_injected').remove();
      };
      </script>`,
    );
  },
  /** Nobody's markup, and only one answer. */
  '/unknown-banner': ({ response }) => {
    sendHtml(
      response,
      `<title>Unknown banner</title><body style="overflow:hidden">${text}
      <section style="position:fixed;inset:0;background:rgb(255,0,0)">Our cookies taste best. <button>Jolly good</button></section>`,
    );
  },
  '/no-banner': ({ response }) => {
    sendHtml(
      response,
      `<title>No banner</title>${text}<header style="position:fixed;top:0;left:0;right:0;height:60px;background:rgb(0,0,255)">Menu</header>
      <p>A recipe for cookies.</p>`,
    );
  },
  /** The dialog stands in a frame, which its own platform takes away when it has its answer. */
  '/framed-banner': ({ response, url }) => {
    const source = url.searchParams.get('frame') ?? '/banner-frame';
    const stays = url.searchParams.has('stays');
    sendHtml(
      response,
      `<title>Framed banner</title>${text}
      <div id="layer" style="position:fixed;left:0;right:0;bottom:0;height:200px;background:red">
      <iframe src="${source}" style="width:100%;height:200px;border:0" title="Consent"></iframe></div>
      <script>addEventListener('message', ({ data }) => {
        if (data === 'refused' && ${!stays}) document.getElementById('layer').remove();
      });</script>`,
    );
  },
  /** The markup of a platform that autoconsent knows, in frames only (Piano). */
  '/banner-frame': ({ response }) => {
    sendHtml(
      response,
      `<title>Dialog</title><body style="background:red"><div id="piano-cookie_banner">We use cookies.
      <button data-acceptance-button>Accept</button><button data-close-button>Continue without</button></div><script>
      document.querySelector('[data-close-button]').onclick = async () => {
        await fetch('/refused-in-frame').catch(() => {}); parent.postMessage('refused', '*');
      };</script>`,
    );
  },
  '/refused-in-frame': ({ response }) => response.writeHead(204).end(),
  /** Frames and scripts of advertisers, and one picture of its own. */
  '/advertised': ({ response }) => {
    sendHtml(
      response,
      `<title>Advertised</title>${text}<img src="/image.png?own">
      <script async src="http://securepubads.g.doubleclick.net/tag/js/gpt.js"></script>
      <iframe src="http://ads.rubiconproject.com/slot" width="728" height="90" style="background:red"></iframe>`,
    );
  },
};
