import { sendHtml, type SitePage } from './page.ts';

const rainbow = (count: number, heightPx: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `<div style="height:${heightPx}px;background:hsl(${(index * 37) % 360} 70% 60%)">Block ${index + 1}</div>`,
  ).join('');

const style = '<style>body { margin: 0; font: 24px sans-serif }</style>';

/** Blocks of 500 pixels, each with an image that is loaded only when it is seen. */
const lazyBlocks = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) =>
      `<div style="height:500px;background:hsl(${(index * 37) % 360} 70% 80%)">Block ${index + 1}
      <img ${index % 2 ? 'data-' : 'loading="lazy" '}src="/image.png?block=${index}" width="200" height="100" style="position:relative;top:200px"></div>`,
  ).join('');

const observeLazyBlocks = `<script>
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) entry.target.src = entry.target.dataset.src;
  });
  for (const image of document.querySelectorAll('img[data-src]')) observer.observe(image);
</script>`;

const barStyle = `<style>
  .fixed-top { position: fixed; top: 0; left: 0; right: 0; height: 50px; background: rgb(200, 0, 0) }
  .sticky-top { position: sticky; top: 50px; height: 40px; background: rgb(0, 0, 200) }
  .fixed-bottom { position: fixed; bottom: 0; left: 0; right: 0; height: 60px; background: rgb(0, 120, 0) }
</style>`;

/** Pages for pictures. */
export const layoutPages: Record<string, SitePage> = {
  '/tall': ({ response, url }) => {
    const heightPx = Number(url.searchParams.get('height') ?? 50_000);
    sendHtml(response, `<title>Tall</title>${style}${rainbow(heightPx / 500, 500)}`);
  },
  '/wide': ({ response }) => {
    sendHtml(
      response,
      `<title>Wide</title>${style}<div style="width:50000px;height:300px;background:teal">Wide</div>`,
    );
  },
  '/dark-mode': ({ response }) => {
    sendHtml(
      response,
      `<title>Dark mode</title><style>body { background: #fff; color: #000; font: 32px sans-serif }
      @media (prefers-color-scheme: dark) { body { background: #000; color: #fff } }</style><h1>Light or dark</h1>`,
    );
  },
  '/lazy-images': ({ response }) => {
    const images = Array.from(
      { length: 12 },
      (_, index) =>
        `<div style="height:600px">Picture ${index + 1}
        <img ${index % 2 ? 'data-' : 'loading="lazy" '}src="/image.png?lazy=${index}" width="400" height="300"></div>`,
    );
    // Every second one is loaded by an observer of the page's own, as galleries do.
    sendHtml(
      response,
      `<title>Lazy images</title>${style}${images.join('')}<script>
      const observer = new IntersectionObserver((entries) => {
        for (const entry of entries) if (entry.isIntersecting) entry.target.src = entry.target.dataset.src;
      });
      for (const image of document.querySelectorAll('img[data-src]')) observer.observe(image);
      </script>`,
    );
  },
  '/sticky': ({ response, url }) => {
    const blocks = Number(url.searchParams.get('blocks') ?? 8);
    sendHtml(
      response,
      `<title>Sticky</title>${style}${barStyle}<div class="fixed-top">Fixed header</div><div style="height:50px"></div>
      <div class="sticky-top">Sticky menu</div>${lazyBlocks(blocks)}<div style="height:60px"></div>
      <div class="fixed-bottom">Fixed footer</div>${observeLazyBlocks}`,
    );
  },
  /** The window does not scroll: an element of its height does. */
  '/inner-scroller': ({ response }) => {
    sendHtml(
      response,
      `<title>Inner scroller</title>${style}${barStyle}<style>
      html, body { height: 100% } body { display: flex; flex-direction: column; height: 100vh; overflow: hidden }
      main { flex: 1; overflow: auto; min-height: 0 } .bar { height: 50px; background: rgb(200, 0, 0); flex: none }
      </style><div class="bar">Header</div><main>${lazyBlocks(8)}</main>${observeLazyBlocks}`,
    );
  },
  /** One of its images is larger than all that a request may receive, and only asked for when it is seen. */
  '/large-below': ({ response }) => {
    sendHtml(
      response,
      `<title>Large below</title>${style}<p>${'Text. '.repeat(60)}</p><div style="height:4000px"></div>
      <img id="large" width="200" height="100"><script>
      const large = document.getElementById('large');
      new IntersectionObserver(([seen]) => { if (seen.isIntersecting) large.src = '/large-image'; }).observe(large);
      </script>`,
    );
  },
  '/refused-parts': ({ response }) => {
    sendHtml(
      response,
      `<title>Refused parts</title><p>${'Text. '.repeat(60)}</p><img src="http://10.0.0.1/a.png">
      <link rel="stylesheet" href="http://169.254.169.254/style.css">`,
    );
  },
  '/infinite-scroll': ({ response }) => {
    sendHtml(
      response,
      `<title>Infinite</title>${style}<div id="list">${rainbow(6, 300)}</div><script>
      addEventListener('scroll', () => {
        document.getElementById('list').insertAdjacentHTML('beforeend', '<div style="height:900px">More</div>');
      });
      </script>`,
    );
  },
  '/late-colour': ({ response }) => {
    sendHtml(
      response,
      `<title>Late colour</title><body><script>setTimeout(() => { document.body.style.background = 'rgb(0, 128, 0)'; }, 600)</script>`,
    );
  },
  '/time-zone': ({ response }) => {
    sendHtml(
      response,
      `<title>?</title><script>
      const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
      document.title = zone + ' ' + new Date(0).toTimeString().slice(0, 5);
      </script>`,
    );
  },
  '/elements': ({ response }) => {
    sendHtml(
      response,
      `<title>Elements</title>${style}<div id="banner" style="background:red">Accept everything</div>
      <div style="height:2000px"></div>
      <div id="card" style="width:300px;height:150px;background:navy;color:white">The card</div>
      <div id="empty"></div><div style="height:1000px"></div>`,
    );
  },
  '/animated': ({ response }) => {
    sendHtml(
      response,
      `<title>Animated</title><style>
      @keyframes appear { from { opacity: 0 } to { opacity: 1 } }
      @keyframes spin { to { transform: rotate(360deg) } }
      body { margin: 0 } #slow { height: 200px; background: rgb(0, 128, 0); animation: appear 60s both }
      #endless { width: 100px; height: 100px; background: blue; animation: spin 1s linear infinite }
      </style><div id="slow"></div><div id="endless"></div>`,
    );
  },
};
