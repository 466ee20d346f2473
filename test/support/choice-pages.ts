import { clientParts } from './client-parts.ts';
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
    ...Object.entries(clientParts).flatMap(([what, parts]) =>
      parts.map((part, index) => ({
        what: `${what} (${index + 1}) in a long page`,
        html: wrap(longPage(part)),
        needsBrowser: true,
      })),
    ),
    ...Object.entries(forHttp).map(([what, body]) => ({ what, html: wrap(body), needsBrowser: false })),
  ];
}

const longPage = (part: string): string =>
  `<header><nav><a href="/">Home</a></nav></header><main class="content">${article}${part}${article}</main><footer>${article}</footer><script src="/site.js"></script>`;

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
  'an app that brings its data along, and draws it in the browser': `<div id="__next"></div>${hydration}<script src="/_next/main.js" defer></script>`,
  'data in a script, drawn beside a long footer': `<div class="page"></div><script>window.__INITIAL_STATE__ = ${JSON.stringify({ text: sentence.repeat(50) })};</script><script src="/app.js"></script><footer>${article}</footer>`,
  'data in pieces of a stream, drawn in the browser': `<script>self.__next_f=self.__next_f||[];self.__next_f.push([1,${JSON.stringify(sentence.repeat(30))}])</script><nav>${'<a href="/a">A chapter of the archive</a> '.repeat(40)}</nav>`,
  'prices by script in a complete page': `${article}<table><tr><td>Slate, blue</td><td data-price-for="1"></td></tr><tr><td>Slate, grey</td><td data-price-for="2"></td></tr></table><script src="/prices.js"></script>`,
  'prices that are dashes until a script brings them': `${article}<p>Price: <b class="product-price__value">–</b></p><script src="/prices.js"></script>`,
  'an article for robots beside an app shell': `<noscript>${article}</noscript><app-root></app-root><script type="module" src="/main.js"></script>`,
  'a list behind a spinner': `${article}<div class="list"><div class="lds-ring"><div></div><div></div></div></div><script src="/list.js"></script>`,
  'a spinner of Bootstrap': `${article}<div class="spinner-border" role="status"></div><script src="/list.js"></script>`,
  'a busy indicator by its role': `${article}<div role="progressbar" aria-label="Loading"></div><script src="/list.js"></script>`,
  'a page that document.write writes': `<p>${sentence.repeat(3)}</p><script>document.write('<article>' + window.text + '</article>');</script>`,
  'a long page whose article document.write writes': `<nav>${article}</nav><script>document.write(decodeURIComponent(body));</script>`,
  'text in a template that a script stamps': `<nav>${article}</nav><div class="content"></div><template id="row"><p>${sentence.repeat(10)}</p></template><script src="/stamp.js"></script>`,
  'a page of frames of its own': `<h1>Archive</h1><p>${sentence}</p><div id="content"></div><script src="/load.js"></script>`,
  'a lazy part of Angular': `${article}<app-comments></app-comments><script type="module" src="/main.js"></script>`,
  'a part that htmx asks for': `${article}<div hx-get="/comments" hx-trigger="load"></div><script src="/htmx.js"></script>`,
  'a part that Turbo asks for': `${article}<turbo-frame id="comments" src="/comments"></turbo-frame><script src="/turbo.js"></script>`,
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
  'a static page with big scripts of analytics': `<script>${'window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments);}'.repeat(800)}</script>${article}${analytics}`,
  'a declared shadow tree': `<site-article><template shadowrootmode="open"><article>${article}</article></template></site-article><script type="module" src="/elements.js"></script>`,
  'a stream of a server-rendered app': `<main>${article}</main><script>self.__next_f=self.__next_f||[];self.__next_f.push([1,${JSON.stringify(sentence.repeat(30))}])</script>`,
  'an article with its state beside it': `<div id="app"><article>${article}</article></div><script>window.__INITIAL_STATE__ = ${JSON.stringify({ text: sentence.repeat(50) })};</script>`,
  'a blog with a script that writes the year': `${article}<footer>© <script>document.write(new Date().getFullYear())</script></footer>`,
  'a long page with a script of its own': longPage(''),
  'a script that waits for a click': `${article}<button id="more">More</button><p id="note">A note of some length stands here.</p><script>document.getElementById('more').addEventListener('click', function () { document.getElementById('note').innerHTML = 'Gone'; location.href = '/more'; });</script>`,
  'a page that leaves frames and other protocols': `${article}<script>if (top !== self) top.location = self.location; if (location.protocol !== 'https:' && false) location.href = 'https://a.test/';</script>`,
  'styles and counters by script': `${article}<script>var s = document.createElement('style'); s.innerHTML = 'p { color: red }'; document.head.appendChild(s); var i = document.createElement('script'); i.src = '/count.js'; document.body.appendChild(i);</script>`,
  'a cart with nothing in it': `<header><div class="cart"><span class="price">£0.00</span></div></header>${article}<script src="/cart.js"></script>`,
  'a hidden spinner': `${article}<div class="spinner" style="display: none"></div><div class="modal"><div class="loader"></div></div><script src="/app.js"></script>`,
  'a year by script': `${article}<footer>© <span id="year"></span></footer><script>document.getElementById('year').textContent = new Date().getFullYear();</script>`,
  'a form': `${article}<form><input class="price"><button class="results-button">Search</button></form><script src="/form.js"></script>`,
};
