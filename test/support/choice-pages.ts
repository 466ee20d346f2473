import { type AppName, buildApps } from './apps/build.ts';

export interface ChoicePage {
  what: string;
  html: string;
  /** Its content comes by script, so that only a browser sees it. */
  needsBrowser: boolean;
}

const sentence = 'The upper quarry employed four hundred people, and the railway ran twice a day. ';
const article = `<h1>How slate is split</h1>${`<p>${sentence.repeat(4)}</p>`.repeat(4)}`;
const bundle = `<script>${'window.q=(window.q||[]).concat(1);'.repeat(6_000)}</script>`;
const analytics =
  '<script async src="/analytics.js"></script><noscript><img src="/pixel.gif" alt=""></noscript>';
const hydration = `<script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ text: sentence.repeat(50) })}</script>`;

/** Pages of every kind that the choice of the engine meets, with the right choice. */
export async function listChoicePages(): Promise<ChoicePage[]> {
  const apps = await buildApps();
  return [
    ...(Object.keys(apps) as AppName[]).map((name) => ({
      what: `an app built with ${name}`,
      html: apps[name],
      needsBrowser: true,
    })),
    ...Object.entries(forBrowser).map(([what, body]) => ({
      what,
      html: wrap(body),
      needsBrowser: true,
    })),
    ...Object.entries(forHttp).map(([what, body]) => ({ what, html: wrap(body), needsBrowser: false })),
  ];
}

const wrap = (body: string): string =>
  `<!doctype html><html lang="en"><head><title>A page</title></head><body>${body}</body></html>`;

const forBrowser: Record<string, string> = {
  'an app shell with noscript': `<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/static/js/main.js"></script>`,
  'an app shell between a long header and footer': `<header>${article}</header><div id="app"></div><footer>${article}</footer><script src="/app.js"></script>`,
  'an empty main between header and footer': `<header>${article}</header><main id="content"></main><footer>${article}</footer><script src="/app.js"></script>`,
  'content fetched after load': `<div id="root">Loading…</div><script>addEventListener('load', () => fetch('/data').then(show));</script>`,
  'a list that says that it is loading': `${article}<ul><li>Loading comments…</li></ul><script src="/app.js"></script>`,
  'prices by script': `${article}<ul><li>Slate, blue <span class="price" data-sku="1"></span></li></ul><script src="/prices.js"></script>`,
  'results by script': `${article}<div class="search-results"></div><script src="/search.js"></script>`,
  'a skeleton': `${article}<div class="card skeleton"><div class="line"></div></div><script src="/app.js"></script>`,
  'a busy region': `${article}<section aria-busy="true"></section><script src="/app.js"></script>`,
  'a template of the client': `${article}<p>{{ product.name }}: {{ product.price }}</p><script src="/angular.js"></script>`,
  'an element that a script defines': `${article}<product-reviews sku="1"></product-reviews><script type="module" src="/elements.js"></script>`,
  'a redirect by script':
    '<p>One moment</p><script>setTimeout(() => { location.href = "/next"; }, 50)</script>',
  'a redirect by location.replace': `<script>window.location.replace('/next')</script><p>${sentence}</p>`,
  'a meta refresh': '<meta http-equiv="refresh" content="0; url=/next"><p>Moved</p>',
};

const forHttp: Record<string, string> = {
  'a static article': article,
  'a short page without scripts': '<h1>Hello</h1><p>One line.</p>',
  'an article with analytics': article + analytics,
  'an article with 200 KB of scripts': article + bundle,
  'a server-rendered app': `<div id="__next"><main>${article}</main></div>${hydration}<script src="/_next/main.js" defer></script>`,
  'a server-rendered app of another kind': `<div id="__nuxt"><div id="app"><main>${article}</main></div></div>${bundle}`,
  'a shop with its prices in the page': `${article}<ul><li>Slate <span class="price">£ 12.00</span> <span itemprop="price" content="12">12</span></li></ul><script src="/cart.js"></script>`,
  'a page with a cookie notice by script': `${article}<script>document.cookie = 'a=1'; showBanner();</script>`,
  'elements with content of their own': `<site-header>${article}</site-header><product-price>£ 12</product-price><script type="module" src="/elements.js"></script>`,
  'a page that speaks of JavaScript': `${article}<p>Closures are the heart of the language.</p><script src="/highlight.js"></script>`,
  'a hidden dialog': `${article}<div class="results" hidden></div><div class="price" style="display:none"></div><script src="/app.js"></script>`,
  'data for search engines': `${article}<script type="application/ld+json">{"@type":"Article"}</script>`,
  'a page that speaks of loading': `${article}<p>Loading a wagon took two men an hour. Results came late.</p><script src="/app.js"></script>`,
  'a form': `${article}<form><input class="price"><button class="results-button">Search</button></form><script src="/form.js"></script>`,
};
