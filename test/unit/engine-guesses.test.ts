import { expect, test } from 'vitest';
import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';

const short = `<p>${'A sentence of an article that says something. '.repeat(30)}</p>`;
const long = short.repeat(2);
const script = '<script src="/app.js"></script>';
const judge = (html: string) => judgePage({ html: html + script }).need;
const judgeScript = (place: string, code: string) => judge(`${long}${place}<script>${code}</script>`);

test.each([
  '<div class="widget"><div class="loader"></div></div>',
  '<div class="readers"><div><span class="loading">Loading...</span></div></div>',
  '<div id="streams"><div>Loading streams...</div></div>',
  '<p id="tomorrow"></p>',
  '<ul id="clips"></ul>',
  '<weather-report class="card" data-at="1"></weather-report>',
  '<div id="card" class="loading"></div>',
  '<div class="box"><span class="bar" role="progressbar"></span></div>',
  '<div class="box content"></div>',
  '<template x-if="hasVoted"><b>Thank you</b></template>',
])('a guess where the content is not there yet, none beside an article: %s', (part) => {
  expect(judge(long + part)).toBeNull();
  expect(judge(short + part)).not.toBeNull();
  expect(judge(`<nav>${long}</nav>${short}${part}<footer>${long}</footer>`)).not.toBeNull();
});

test.each([
  '<div class="list"><div class="spinner"></div></div>',
  '<section class="readers"><h2>What readers say</h2><div><span class="loading">Loading...</span></div></section>',
  '<section id="departures"><h2>Departures</h2><div class="departures"><div class="spinner-border" role="status"></div></div></section>',
  '<section id="departures"><h2>Departures</h2><div class="departures">Loading data…</div></section>',
  '<h2>Weather</h2><p>Loading...</p>',
  '<h3>Votes</h3><div role="progressbar"></div>',
  '<div class="spinner-border" role="status"><span class="visually-hidden">Loading...</span></div>',
  '<table id="rates"></table>',
  '<h2>Rates</h2><ul id="events-list"></ul>',
  '<h2>Rates</h2><div class="list"></div>',
  '<div class="news-list"><div class="wrap"><div class="loader"></div></div></div>',
  '<ul><li>Loading comments…</li></ul>',
  '<div class="feed"><p>Loading…</p></div>',
  '<div class="search-results"><p class="loader">Loading…</p></div>',
  '<weather-report city="Bangor"></weather-report>',
  '<article-list class="card"></article-list>',
  '<ul id="results" class="loading"></ul>',
  '<div class="rows"><span role="progressbar"></span></div>',
  '<div class="box" aria-busy="true"></div>',
  '<div class="card is-loading"></div>',
  '<div class="box" id="content"></div>',
  '<div class="results list"></div>',
  '<template x-for="one in all"><li x-text="one"></li></template>',
  '<table id="rows"><thead><tr><th>Year</th></tr></thead><tbody></tbody></table>',
  '<p id="tomorrow"></p><script>tomorrow.textContent = told</script>',
  '<ul id="clips"></ul><script>for (const clip of all) { const li = document.createElement("li"); li.textContent = clip; clips.append(li) }</script>',
])('a place for contents beside an article, too: %s', (part) => {
  expect(judge(long + part)).not.toBeNull();
});

const edition = (text: string) => `<b id="edition">${text}</b>`;

test.each(['edition.textContent = told', '$("#edition").text(told)', '$("#edition").html("Canada")'])(
  'a text that is only worded otherwise is no content: %s',
  (code) => {
    expect(judgeScript(edition('U.S.'), code)).toBeNull();
    for (const text of ['', '–', 'n/a', '0 items', 'Price:', 'Loading', 'Un moment…'])
      expect(judgeScript(edition(text), code)).toBe('content by script');
  },
);

test.each([
  'edition.innerHTML = told',
  '$("#edition").html(told)',
  '$("#edition").load("/told")',
  '$("<i>").appendTo("#edition").text(told)',
  'const one = document.createElement("i"); one.textContent = told; edition.append(one)',
  'createApp(App).mount("#edition")',
])('what comes in place of a word may be content: %s', (code) => {
  expect(judgeScript(edition('U.S.'), code)).toBe('content by script');
});

const add = 'document.getElementById("links").insertAdjacentHTML("beforeend", told)';

test.each([
  ['a footer', '<footer><ul id="links"><li>Imprint</li></ul></footer>', null],
  ['a sidebar', '<aside><div id="links"><b>Popular</b></div></aside>', null],
  ['an empty part of a sidebar', '<aside><div id="links"></div></aside>', 'content by script'],
  ['the content', '<div id="links"><b>Popular</b></div>', 'content by script'],
  [
    'a header with the content in it',
    '<div class="header" id="links"><h1>Slate</h1></div>',
    'content by script',
  ],
])('what is added to %s', (_what, place, need) => {
  expect(judgeScript(place, add)).toBe(need);
});

test.each(['social-top', 'logged-in', 'userName', 'comment-count', 'marketingBox', 'promo-banner'])(
  'what comes into a place called %s is no content',
  (name) => {
    const write = `document.getElementById("${name}").innerHTML = told`;
    expect(judgeScript(`<div id="${name}"></div>`, write)).toBeNull();
  },
);

test.each([
  'societies',
  'members',
  'comments',
  'markets',
  'promotedPapers',
  'promotions',
  'promo-list',
  'sponsors',
  'sponsor-list',
  'social-feed',
  'socialWall',
  'banner-list',
  'marketing-events',
  'shareholders',
])('what comes into a place called %s is', (name) => {
  const write = `document.getElementById("${name}").innerHTML = told`;
  expect(judgeScript(`<div id="${name}"></div>`, write)).toBe('content by script');
});

test.each([
  ['a menu that opens', '<ul class="dropdown-menu"><li><div class="skeleton"></div></li></ul>', null],
  [
    'what drops down and calls its own part content',
    '<aside class="f-dropdown content"><div class="shimmer"></div></aside>',
    null,
  ],
  [
    'a part that is named in camel case',
    '<div class="shareSideModal"><div class="skeleton"></div></div>',
    null,
  ],
  [
    'a part of the content',
    '<div class="content"><div class="dropletList skeleton"></div></div>',
    'a skeleton',
  ],
])('a skeleton in %s', (_what, part, need) => {
  expect(judge(long + part)).toBe(need);
});

test('a short script is read behind long ones', () => {
  const data = `<script>var all = "${'word '.repeat(60_000)}"</script>`;
  expect(judge(`${long}${data}<script>location.replace("/next")</script>`)).toBe('a redirect by script');
});

test.each([
  ['what it shows', '<weather-report city="Bangor"></weather-report>', 'an empty weather-report'],
  ['nothing', '<weather-report class="card" data-at="1"></weather-report>', null],
  ['how a part beside the content looks', '<shop-footer theme="dark"></shop-footer>', null],
  ['a picture', '<site-icon-fallback name="arrow"></site-icon-fallback>', null],
])('an element of its own that is told %s, beside the content', (_what, part, need) => {
  expect(judge(`${long}<aside>${part}</aside>`)).toBe(need);
});

test.each([
  ['code', null],
  ['counter.read()', null],
  ['server + page', null],
  ['"<p>" + told', 'content by script'],
  ['rows[0] + "<br>"', 'content by script'],
  ['"Sold out"', 'content by script'],
  ['built', 'content by script'],
])('beside an article document.write(%s) is content where it says so', (value, need) => {
  const write = (html: string) =>
    judge(`${html}<script>var built = ""; built += told; document.write(${value})</script>`);
  expect(write(long)).toBe(need);
  expect(write(short)).toBe('content by script');
});

test.each([
  'entry-content popup-gallery',
  'content lightbox',
  'page-content has-dropdown',
  'content with-tooltips tooltip',
  'main-content modal-open',
])('content stays content where its classes name what a script adds: %s', (name) => {
  for (const part of [
    '<ul id="offers"></ul>',
    '<div class="skeleton-card"></div>',
    '<span class="price"></span>',
    '<div aria-busy="true"></div>',
  ])
    expect(judge(`<div class="${name}"><h2>Offers</h2>${short}${part}</div>`)).not.toBeNull();
});

test.each(['content popin', 'content modal', 'main-content cart-drawer'])(
  'what a reader opens is away, also where it has content: %s',
  (name) => {
    expect(judge(`${long}<div class="${name}"><div class="skeleton"></div></div>`)).toBeNull();
  },
);

test.each([
  ['ul', 'user-name', 'content by script'],
  ['tbody', 'sponsor', 'content by script'],
  ['ul', 'social-links', null],
  ['ul', 'share-buttons', null],
  ['ul', 'cart', null],
  ['ul', 'breadcrumbs', null],
  ['div', 'user-name', null],
])('what comes into a %s called %s', (element, name, need) => {
  const table = element === 'tbody' ? '<table>' : '';
  const place = `${table}<${element} id="${name}"><!-- --></${element}>`;
  expect(judgeScript(place, `document.getElementById("${name}").innerHTML = told`)).toBe(need);
});

const replaceText =
  'fetch("/told").then((told) => { document.getElementById("out").textContent = told.long })';

test.each([
  'Retrieving',
  'Calculating',
  'Just a moment',
  'Please hold on',
  'checking',
  'pending',
  'No data',
  'Not available',
  'Coming soon',
  'Price on request',
  'Product name',
  'Headline',
  'home.intro.text',
  'Bitte warten',
  'Wird geholt',
  'k.A.',
  '読み込み中',
  '取得中',
])('a word that stands for what is to come is as good as none: %s', (text) => {
  expect(judgeScript(`<div id="out">${text}</div>`, replaceText)).toBe('content by script');
});

test.each([
  ['a code', '<b id="out">EUR</b>', null],
  ['a code of a language', '<b id="out">en</b>', null],
  ['a language', '<b id="out" class="currentLang">Deutsch</b>', null],
  ['a currency', '<b id="out" class="currency">Dollars</b>', null],
  ['an edition of many words', '<b id="out" class="edition">Not known so far</b>', 'content by script'],
  ['a number of an expedition', '<b id="out" class="expedition">Pending</b>', 'content by script'],
  ['an entry of a menu', '<nav><b id="out">Sign in here</b></nav>', null],
  ['an entry of a footer', '<div class="footer"><b id="out">Privacy</b></div>', null],
  ['a key in a menu', '<nav><b id="out">home.title</b></nav>', 'content by script'],
  ['a sidebar', '<aside><b id="out">Retrieving</b></aside>', 'content by script'],
  ['a menu of the day', '<div class="menu-of-day"><b id="out">Soup</b></div>', 'content by script'],
])('a text of %s that a script exchanges', (_what, place, need) => {
  expect(judgeScript(place, replaceText)).toBe(need);
});

test('texts that show their keys are still to come', () => {
  const translate =
    'document.querySelectorAll("[data-i18n]").forEach((one) => { one.textContent = told[one.dataset.i18n] })';
  expect(judgeScript('<p data-i18n="home.intro">home.intro</p>', translate)).toBe('content by script');
});

test.each([
  '<h2>Weather</h2><p>Sunny.</p><div class="widget"><div class="loader"></div></div>',
  '<h2>Weather</h2><p>Sunny.</p><ul id="clips"></ul>',
  '<h2>Weather</h2><img src="/sun.png" alt=""><div class="widget"><div class="loader"></div></div>',
  '<aside><h2>Weather</h2><div>Loading...</div></aside>',
  '<aside><div class="spinner-border" role="status"></div></aside>',
  '<h1>Weather</h1><div class="widget"><div class="loader"></div></div>',
])('beside an article it is a guess where it is not all that a heading is about: %s', (part) => {
  expect(judge(long + part)).toBeNull();
});
