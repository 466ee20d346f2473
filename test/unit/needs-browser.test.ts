import { expect, test } from 'vitest';
import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';

const text = '<p>' + 'A sentence of an article that says something. '.repeat(30) + '</p>';

test.each([
  ['a page without scripts', '<h1>Hello</h1>', false],
  ['an article with an analytics script', `${text}<script src="/analytics.js"></script>`, false],
  ['a page whose scripts are data only', '<h1>Hi</h1><script type="application/ld+json">{}</script>', false],
  ['an empty app root', '<div id="root"></div><script src="/app.js"></script>', true],
  [
    'an empty app root on a page with a long footer',
    `<div id="app"> </div><footer>${text}</footer><script src="a.js"></script>`,
    true,
  ],
  ['a server-rendered app root', `<div id="__next">${text}</div><script src="a.js"></script>`, false],
  [
    'a shell that asks for JavaScript',
    `${text}<noscript>You need to enable JavaScript to run this app.</noscript><script src="a.js"></script>`,
    true,
  ],
  ['little text and a script', '<h1>Loading…</h1><script src="a.js"></script>', true],
  [
    'little text in lines that are far indented',
    `<p>${`${' '.repeat(20)}word\n`.repeat(140)}</p><script src="a.js"></script>`,
    true,
  ],
  ['a redirect by script', `<p>One moment</p><script>window.location.href = "/next"</script>`, true],
  ['a redirect by meta refresh', '<meta http-equiv="refresh" content="0; url=/next"><p>One moment</p>', true],
])('%s', (_what, html, expected) => {
  expect(judgePage({ html: `<!doctype html><title>T</title>${html}` }).need !== null).toBe(expected);
});

const script = '<script src="/app.js"></script>';

test.each([
  [
    'a part of htmx in a menu',
    `<nav class="menu"><div hx-get="/new" hx-trigger="load"></div></nav>${script}`,
  ],
  [
    'a part that is hidden until its framework runs',
    `<div style="display:none"><b x-text="n"></b></div>${script}`,
  ],
  ['a spinner in a sidebar', `<aside><div class="spinner"></div></aside>${script}`],
  ['a price of nothing in a footer', `<footer><b class="price">0.00</b></footer>${script}`],
  [
    'a price in the field of an article',
    `<div class="field field--body"><b class="price"></b></div>${script}`,
  ],
  ['results of a search', `<div class="search-results"><ul class="list"></ul></div>${script}`],
  [
    'a place in an article whose class tells its status',
    `<div class="status-publish"><p id="a"></p></div>${script}`,
  ],
  [
    'a place of the page that a script has another name for',
    '<div id="a"></div><script>const banner = document.getElementById("a"); banner.innerHTML = rows</script>',
  ],
  [
    'a hidden panel that a script fills',
    '<div aria-hidden="true"><p id="a"></p></div><script>document.getElementById("a").innerHTML = rows</script>',
  ],
])('a browser is needed for %s', (_what, html) => {
  expect(judgePage({ html: text + html }).need).not.toBeNull();
});

test.each([
  [
    'a spinner in a list that has a heading only',
    `<section><h2>News</h2><ul class="list"><li class="spinner"></li></ul></section>${script}`,
  ],
  ['a container that is being loaded', `<div id="rows" class="loading"></div>${script}`],
  ['a spinner that says its role', `<div class="spinner-border" role="status"></div>${script}`],
  [
    'what a script gives to a function of another',
    '<div id="news"></div><script>function show(at, text) { find(at).textContent = text }</script><script>show("news", text)</script>',
  ],
  [
    'what an element writes into itself, in a sidebar',
    '<aside><opening-hours></opening-hours></aside><script>customElements.define("opening-hours", class extends HTMLElement { connectedCallback() { this.innerHTML = hours } })</script>',
  ],
  [
    'a part of a stream that does not come',
    `<!--$?--><template id="B:0"></template><p>Loading</p><!--/$-->${script}`,
  ],
  [
    'a list in a template',
    '<template><ul><template x-for="item in rows"><li></li></template></ul></template>' + script,
  ],
  [
    'a list behind a window',
    `<template x-if="isOpen"><b>Menu</b></template><template x-if="rows.length"></template>${script}`,
  ],
  ['what a place is told to show', `<div data-text="title"></div>${script}`],
  ['what a search is bound to', `<div id="live-search" x-text="msg"></div>${script}`],
  ['results of a quick search', `<div class="quick-search_results" data-bind="html: rows"></div>${script}`],
  ['a list that pops in', `<div class="pop-in"><ul id="rows"></ul></div>${script}`],
  ['an app that pops in', `<div class="pop-in"><div id="app"></div></div>${script}`],
  [
    'a list that is open at first',
    `<div x-data="{open: true, items: [1]}"><template x-if="open"><ul><template x-for="i in items"><li x-text="i"></li></template></ul></template></div>${script}`,
  ],
  [
    'a list of opening hours',
    `<template x-if="isOpen"><div><template x-for="i in slots"><b></b></template></div></template>${script}`,
  ],
  [
    'what is named after buttons',
    '<div class="tabs-buttons"></div><div id="product-buttons"></div><script>document.querySelector(".tabs-buttons").innerHTML = rows</script>',
  ],
  ['results of a page', `<div class="results" data-bind="html: rows"></div>${script}`],
  ['an app beside a picture', `<svg><path></path></svg><div id="shop-app"></div>${script}`],
  ['prose in a template', `<template><article>${'one by one '.repeat(9)}</article></template>${script}`],
])('a browser is needed for %s', (_what, html) => {
  expect(judgePage({ html: text + html }).need).not.toBeNull();
});

test.each(['$1,299.00', 'In stock', 'Sold out', '020 7946 0018', '€ &#53;', '&euro; five'])(
  'what a script writes is content however short: %s',
  (said) => {
    const places = `<a id="link"></a><span id="cost"></span>`;
    const writes = [`document.getElementById("cost").textContent = "${said}"`, `document.write("${said}")`];
    if (/[\d€&]/.test(said)) writes.push(`document.getElementById("link").innerHTML = "${said}"`);
    for (const write of [...writes, `$("#cost").html("${said}")`])
      expect(judgePage({ html: `${text}${places}<script>${write}</script>` }).need).toBe('content by script');
  },
);

test.each([
  'activeProducts.length',
  'showings.length > 0',
  'isVisible(data)',
  'items.open.length',
  'menu === 1',
  'products',
])('a template is no window for its condition: %s', (condition) => {
  const html = `${text}<div x-data="shop"><template x-if="${condition}"><p></p></template></div>${script}`;
  expect(judgePage({ html }).need).toBe('a repeated element');
});

test.each([
  'if (!/bot|crawl/i.test(navigator.userAgent)) { WRITE }',
  "if (navigator.userAgent.indexOf('MSIE') < 0) { WRITE }",
  'if (!window.ActiveXObject) { WRITE }',
  'if (window.addEventListener || window.attachEvent) { WRITE }',
  'if (!document.documentMode || document.documentMode > 9) { WRITE }',
  "if (typeof ActiveXObject > 'u') WRITE",
  "if (0 > navigator.userAgent.indexOf('MSIE')) WRITE",
  '/MSIE|Chrome/.test(navigator.userAgent) ? WRITE : 0',
])('what all browsers run is read: %s', (code) => {
  const html = `<p>${'It says something. '.repeat(50)}</p><div id="offers"></div>`;
  const written = code.replace('WRITE', 'document.getElementById("offers").innerHTML = offers');
  expect(judgePage({ html: `${html}<script>${written}</script>` }).need).toBe('content by script');
});

const places =
  '<div id="rows"></div><div id="ask"><form><input name="q"></form><b id="answer"></b></div><div class="buttons"></div>';

test.each([
  ['if (!asked("login")) return; location.href = "/next"', 'a redirect by script'],
  ['if (location.pathname === "/login") return; location.href = "/login"', 'a redirect by script'],
  ['if (!navigator.cookieEnabled) return; location.href = "/next"', 'a redirect by script'],
  ['if (!location.search && isNew) return; location.href = "/next"', 'a redirect by script'],
  ['var at = location.host; if (ready) location.href = "/next"', 'a redirect by script'],
  ['if (isNew) top.location = "/next"', 'a redirect by script'],
  ['bus.subscribe(function () { location.reload() })', 'a redirect by script'],
  ['bus.subscribe("rows", (list) => { rows.innerHTML = list })', 'content by script'],
  ['answer.textContent = told', 'content by script'],
  ['ask.insertAdjacentHTML("beforeend", told)', 'content by script'],
  ['document.write("<p>Ad-hoc work, read-ad-lib</p>")', 'content by script'],
  ['document.write(advice)', 'content by script'],
  ['document.write(address(adverbs))', 'content by script'],
  ['if (url) location.href = url', 'a redirect by script'],
  ['document.write(unescape("%3Cp%3EThe mill%3C/p%3E"))', 'content by script'],
  ['document.documentElement.innerHTML = told', 'content by script'],
  ['document.body.append(cloneOf.cloneNode(true))', 'content by script'],
  ['document.querySelector(".buttons").innerHTML = told', 'content by script'],
  ['document.write(smallAds)', 'content by script'],
  ['document.write(listAds(data))', 'content by script'],
  ['document.write(renderAds())', 'content by script'],
  ['ask.innerHTML = told', 'content by script'],
  ['fetch("/a").then((d) => { document.getElementById("ask").innerHTML = render(d) })', 'content by script'],
  ['$("#ask").html(d)', 'content by script'],
  ['$("#ask").load("/rows")', 'content by script'],
  ['new Vue({ el: "#ask" })', 'content by script'],
  ['createApp(App).mount("#ask")', 'content by script'],
  ['createRoot(document.getElementById("ask")).render(view)', 'content by script'],
  ['const next = getUrlForCountry(c); if (next) location.href = next', 'a redirect by script'],
  [
    '(async () => { const r = await fetch(location.href + "?where"); const d = await r.json(); if (r.ok) location.replace(d.to) })()',
    'a redirect by script',
  ],
  [
    '(async () => { const r = await fetch(getUrl("/to")); if (r.ok) location.href = (await r.json()).to })()',
    'a redirect by script',
  ],
  ['var base = location.href; if (base) window.location = "/home"', 'a redirect by script'],
  ['var lang = getParam("lang") || "en"; if (lang) location.href = "/" + lang', 'a redirect by script'],
  ['var lang = getParam("lang") ?? "en"; if (lang) location.href = "/" + lang', 'a redirect by script'],
  [
    'var lang = getParam("lang"); lang = lang || "en"; if (lang) location.href = lang',
    'a redirect by script',
  ],
  ['var lang = getParam("lang"); if (!lang) location.href = "/en"', 'a redirect by script'],
  ['var lang = getParam("lang"); if (lang) show(lang); else location.href = "/en"', 'a redirect by script'],
  ['var lang = getParam("lang"); lang || location.replace("/en")', 'a redirect by script'],
  ['var lang = getParam("lang"); if (lang !== "en") location.href = "/en"', 'a redirect by script'],
  ['var lang = getParam("lang"); if (lang || isNew) location.href = "/en"', 'a redirect by script'],
  ['var lang = getParam("lang"); if (sites[lang].on) location.href = "/en"', 'a redirect by script'],
  [
    'function a() { var i = getParam("i") } for (var i = 0; i < 3; i++) if (sites[i].on) location.href = sites[i].to',
    'a redirect by script',
  ],
  ['var asked = getParameters(); if (!asked.done) location.reload()', 'a redirect by script'],
  ['const asked = getParams(); if (asked.to) location.href = asked.to', 'a redirect by script'],
  ['const parts = location.search.split("&"); if (parts) location.href = "/home"', 'a redirect by script'],
  ['if (url.startsWith("/")) location.href = url', 'a redirect by script'],
  ['var index = location.search.indexOf("a"); if (index) location.href = "/home"', 'a redirect by script'],
  ['var lang = getParam("lang"); if (lang && isNew) location.href = "/" + lang', null],
  ['var lang = getParam("lang"); lang === "en" && location.replace("/en")', null],
  ['var lang = getParam("lang"); if (!(lang !== null)) { show() } else location.replace(lang)', null],
  ['var next = location.hash.slice(1); if (next.length > 0) location.href = next', null],
  ['if (new URLSearchParams(location.search).has("next")) location.href = "/next"', null],
  ['document.write(ads)', 'content by script'],
])('what a script does to a page of its own: %s', (code, need) => {
  const html = `${text}${places}<script>(function () { ${code} })()</script>`;
  expect(judgePage({ html }).need).toBe(need);
});

test.each([
  'fetch("/a").then(function(r){return r.text()}).then(function(h){document.body.insertAdjacentHTML("beforeend",h)})',
  'var e = document.body, t = card.cloneNode(true); e.appendChild(t);',
])('what goes into a page is content by a name of one letter, in a long script too: %s', (code) => {
  for (const more of ['', 'stop();'.repeat(1_000)])
    expect(judgePage({ html: `${text}<script>${more}${code}</script>` }).need).toBe('content by script');
});

test('what the address asks for is told in the script that reads it', () => {
  const reads = 'var next = new URLSearchParams(location.search).get("to");';
  const leads = 'if (next) location.href = "/next"';
  const judge = (...scripts: string[]) =>
    judgePage({ html: text + scripts.map((one) => `<script>${one}</script>`).join('') }).need;
  expect(judge(reads, leads)).toBe('a redirect by script');
  expect(judge(`${reads} if (next) location.href = next`)).toBeNull();
  const given = '(function (next) { if (next) location.href = "/next" })(rows)';
  expect(judge(`${reads} ${given}`)).toBe('a redirect by script');
});

test('a condition is read in the script that it stands in', () => {
  const show = 'function show() { if (isOpen(shop.name)) offers.innerHTML = list }';
  const call = '/* window.ActiveXObject, attachEvent and documentMode of old */ show()';
  const html = `${text}<div id="offers"></div><script>${show}</script><script>${call}</script>`;
  expect(judgePage({ html }).need).toBe('content by script');
});

test('a script of more statements than a call can be given', () => {
  const code = `offers.innerHTML = list${';'.repeat(150_000)}`;
  expect(judgePage({ html: `${text}<div id="offers"></div><script>${code}</script>` }).need).toBe(
    'content by script',
  );
});

const hole = '<div id="news"></div>';
const judgeScript = (code: string, place = hole) =>
  judgePage({ html: `${text}${place}<script>${code}</script>` }).need;

test.each([
  '$.ajax({ url: "/news", success: function (d) { $("#news").html(d) } })',
  'function show(d) { news.innerHTML = d } $.ajax({ url: "/news", success: show })',
  '$.ajax("/news", { success: (d) => news.append(d.text, "") || $("#news").html(d) })',
  'jQuery.ajax({ url: "/news", complete(d) { $("#news").append("<p>" + d.title) } })',
  'Papa.parse("/news.csv", { download: true, complete: function (d) { news.textContent = d } })',
  'new Ajax.Request("/news", { onSuccess: function (d) { $("news").innerHTML = d.text } })',
  'new Vue({ mounted() { fetch("/news").then((d) => { news.innerHTML = d }) } })',
  'Vue.createApp({ created: function () { load((d) => { news.innerHTML = d }) } })',
])('what a call is told to do afterwards runs: %s', (code) => {
  expect(judgeScript(code)).toBe('content by script');
});

test.each([
  'new Menu({ click: function (d) { $("#news").html(d) } })',
  '$.ajaxSetup({ complete: function (d) { $("#news").html(d) } })',
  'FB.login({ success: function (d) { $("#news").html(d) } })',
  'start({ onSubmit(d) { news.innerHTML = d }, open: (d) => { news.innerHTML = d } })',
  '$("form").ajaxForm({ success: function (d) { $("#news").html(d) } })',
  '$("#more").on("click", { success: function (d) { $("#news").html(d) } })',
  'setTimeout({ success: function (d) { $("#news").html(d) } }, 60000)',
])('what waits for its reader does not: %s', (code) => {
  expect(judgeScript(code)).toBeNull();
});

test.each([
  'var $box = $("#news"); $.get("/news", (d) => $box.html(d))',
  'let box; box = jQuery("#news"); box.load("/news")',
  'const app = {}; app.box = $("#news"); app.box.load("/news")',
  'var $j = jQuery.noConflict(); $j("#news").load("/news")',
  'jQuery(function (j) { j("#news").load("/news") })',
  'jQuery(document).ready(function (j) { j("#news").html(list) })',
  '(function (w, j) { j("#news").html(list) })(window, jQuery)',
  'var url = "/news"; $("#news").load(url)',
  '$("#news").load("/news?id=" + 7)',
  '$("#news").load(settings.url)',
  '$("#news").load(settings.newsPath)',
  `$('<div class="list">' + list + '</div>').appendTo('body')`,
  `var $list = $('<div class="list">'); $list.html(list); $list.appendTo('body')`,
  `$('<a href="/news">A thing that has happened</a>').appendTo('body')`,
  `$('<a>', { href: one.url, text: one.title }).appendTo('body')`,
  `$('<a href="#one">A thing that has happened</a>').appendTo('#news')`,
  `jQuery(function (j) { j('body').append('<ul>' + list + '</ul>') })`,
  '$("#news").each(function () { $(this).load($(this).data("src")) })',
  '$("#news").each(function () { $(this).load(this.dataset.src) })',
  '$("#news").html(function () { return list })',
  '$.each(list, function (i, one) { $("<li>", { text: one }).appendTo("#news") })',
  'var row = $("<li>").appendTo("#news"); row.html(list)',
  'const byId = (id) => document.getElementById(id); byId("news").innerHTML = list',
  'function byId(id) { return document.getElementById(id); } byId("news").innerHTML = list',
  'const one = document.querySelector.bind(document); one("#news").innerHTML = list',
])('a place is found by what scripts call it: %s', (code) => {
  expect(judgeScript(code)).toBe('content by script');
});

test.each([
  'var start = function () {}; $(window).load(start)',
  '$(window).load(start); find("news")',
  '$("#news").load(function () { start() })',
  'var start = function () {}; $("#news").load(start)',
  '$("<li>").appendTo("#news")',
  '$("<li>", { class: "a" }).appendTo("#news")',
  'var box = shelf("#news"); box.text(list)',
  '$("#news").load(Slider.start)',
  `var $top = $('<a class="to-top">Back to top</a>'); $top.appendTo('body')`,
  `var $top = $('<a class="to-top"></a>'); $top.appendTo(document.body)`,
  `$('<a>', { href: '#top', text: 'Back to the top of the page' }).appendTo('body')`,
  `$('<a href="#">').addClass('up').html('Back to the top of the page').appendTo('body')`,
  `jQuery(function ($) { var $law = $('<div class="cookie-law">We use cookies on this site.</div>'); $law.prependTo('body') })`,
  `jQuery(function (j) { j('body').append('<div id="cookie-law">' + words + '</div>') })`,
  `var banner = $('<div>' + words + '</div>'); banner.appendTo('body')`,
  'const one = (name) => shelf.find(name + 1); one("#a #news"); news(list)',
  'jQuery("#a").ready(function () { j("#news").html(list) })',
])('nothing is put into a place by %s', (code) => {
  expect(judgeScript(code)).toBeNull();
});

test.each([
  ['document.querySelector("ul").innerHTML = list', '<ul></ul>', 'content by script'],
  ['document.getElementsByTagName("output")[0].innerHTML = list', '<output></output>', 'content by script'],
  ['document.querySelector("ul").innerHTML = list', '<ul><li>Something that stands here</ul>', null],
  ['document.querySelector("button").innerHTML = list', '<button></button>', null],
  // Which of them is meant it does not say.
  ['each(document.querySelectorAll("ul")); find().innerHTML = list', '<ul></ul>', null],
])('an element is found by its name alone: %s', (code, place, need) => {
  expect(judgeScript(code, place)).toBe(need);
});

test.each([
  ['links to a part of its own called so', '<p><a href="#loading">Loading a wagon</a></p>'],
  ['an anchor called so', '<span class="anchor" id="posts"></span>'],
  ['a place that is left empty beside one that is not', '<b class="price">£ 12</b><b class="price"></b>'],
  ['what a script is told of a price', '<div class="rating" data-price="12.50"></div>'],
  ['a spinner beside what is there', `<section>${text}<div class="spinner"></div></section>`],
  ['what a spinner says', `<section>${text}<div class="spinner">Loading…</div></section>`],
  ['a cover that asks to wait', '<div id="preloader"><p>Loading…</p></div>'],
  [
    'a part of a stream that comes further on',
    `<!--$?--><template id="B:0"></template><p>Loading</p><!--/$--><div hidden id="S:0">${text}</div>`,
  ],
  [
    'a label of a link',
    '<a id="copy"></a><script>document.getElementById("copy").textContent = "Copy"</script>',
  ],
  [
    'a label of a button',
    '<button id="copy"></button><script>document.getElementById("copy").textContent = "Copy"</script>',
  ],
  [
    'a label of what is made',
    '<div id="a"></div><script>const made = document.createElement("b"); made.textContent = "Copy"; document.getElementById("a").append(made)</script>',
  ],
  [
    'what another script looks up',
    '<div id="menu"></div><script>document.getElementById("menu")</script><script>find().innerHTML = list</script>',
  ],
  ['a window in a template', `<template><div class="modal">${'one by one '.repeat(9)}</div></template>`],
  [
    'a menu that its reader opens',
    '<nav x-data="{ showMenu: false }"><template x-if="showMenu"><b>Menu</b></template></nav>',
  ],
  ['a window that a store opens', '<template x-if="$store.cart.isOpen"><b>Cart</b></template>'],
  [
    'a word to browsers of two marks',
    '<div id="a"></div><script>if (/msie|trident/.test(navigator.userAgent) && !/edge/.test(navigator.userAgent)) a.innerHTML = "An old browser"</script>',
  ],
  ['a cover over the page while it is loaded', '<div class="preloader"><i></i></div>'],
  ['a picture in its skeleton', '<div class="skeleton"><img src="/a.jpg" alt=""></div>'],
  ['a mark that was left by an editor', '<p>{{banner="/offers"}}</p>'],
  ['a header as an element of its own', '<header-app></header-app>'],
  ['a place for advertisements called main', `<main><i></i></main><main>${text}</main>`],
  [
    'a script that waits for a consent',
    `<script type="text/plain">var a; // ${'one by one '.repeat(9)}</script>`,
  ],
  [
    'a refresh for readers without scripts',
    '<noscript><meta http-equiv="refresh" content="0; url=/no"></noscript>',
  ],
  [
    'a window that is laid over the page',
    `${text}<script>const modal = document.createElement('div'); modal.textContent = 'We load the page again in a moment'; document.body.appendChild(modal)</script>`,
  ],
  [
    'an element that tells whether advertisements are blocked',
    `${text}<script>const el = document.createElement('div'); el.appendChild(document.createTextNode('&nbsp;')); document.body.appendChild(el)</script>`,
  ],
  ['a plea beside plenty of text', `${text.repeat(3)}<noscript>Please enable JavaScript.</noscript>`],
  [
    'a template that data is put into',
    `<script type="text/template">{{name}} ${'one by one '.repeat(9)}</script>`,
  ],
  ['a link whose place nobody tells', '<a id="n"></a><script>show("n"); add(b).append(make())</script>'],
  ['a number that is exchanged', '<b id="t">800 242 6102</b><script>t.innerHTML = own</script>'],
  ['what is laid over the page', '<script>modal.textContent = "Hi"; document.body.append(modal)</script>'],
  [
    'a window of the page',
    '<div class="modal"></div><script>const popup = document.querySelector("div.modal"); popup.innerHTML = rows</script>',
  ],
  [
    'what a search suggests',
    '<div id="header_dropdown--list"></div><div class="typeahead"></div><script>header.search(/a/); function search() { $("#header_dropdown--list").html(rows); $(".typeahead").html(rows) }</script>',
  ],
  ['the year', '<b id="y"></b><script>y.append(document.createTextNode(new Date().getFullYear()))</script>'],
  [
    'a word to other browsers',
    '<div id="a"></div><script>if (window.ActiveXObject) a.innerHTML = "Old"</script>',
  ],
  [
    'a word to browsers that are called so',
    '<div id="a"></div><script>if (navigator.userAgent.indexOf("MSIE") > -1) a.innerHTML = "Old"</script>',
  ],
  [
    'a word to browsers that are called so, in other spellings',
    '<div id="a"></div><script>var s = navigator.userAgent; if (s.indexOf("MSIE") !== -1 || !!s.match(/Trident.*rv/)) a.innerHTML = "Old"; if (!!window.ActiveXObject || "ActiveXObject" in window) a.innerHTML = "Old"</script>',
  ],
  [
    'a script that is written',
    '<script>var a = "<scr" + "ipt src=/b.js></sc" + "ript>"; document.write(a)</script>',
  ],
  ['what is moved', '<script>$("#ad").prependTo($(".text"))</script><div class="text">Text</div>'],
  [
    'a form that is sent in a frame',
    '<div id="w">A form of some length stands here already</div><script>var f = $(this).contents().find("#w"); $("#w").replaceWith(f.html())</script><form id="f"></form>',
  ],
  [
    'a redirect that the address asks for',
    '<script>(function () { var next = getQueryParam("to"); if (!next) return; location.href = next })()</script>',
  ],
  [
    'a redirect that the fragment asks for',
    '<script>function go() { if (location.hash.indexOf("#to") === -1) { return; } location.replace("/to") } go()</script>',
  ],
  ['a reload at a sign-in', '<script>bus.subscribe("signedIn", () => { location.reload() })</script>'],
  ['a way out of a frame', '<script>if (isFramed()) top.location = self.location.href</script>'],
  [
    'an advertisement in markup that is escaped',
    '<script>document.write(lib.unescapeHtml("&lt;div id&#x3D;&quot;top&quot;&gt;&lt;/div&gt;"))</script>',
  ],
  ['a window by the name of its variable', '<script>$("body").append($modal)</script>'],
  ['what a link is to share', '<a class="twitter-share-button" data-text="Slate"></a>'],
  ['a picture called as an app', '<svg><symbol id="whats-app"><path></path></symbol></svg>'],
  ['an empty list beside the content', '<aside class="content tags"></aside>'],
  [
    'a frame that may ask for a sign-in',
    '<script>addEventListener("message", (e) => { if (e.data.out) location.href = "/in" })</script>',
  ],
])('none is needed for %s', (_what, html) => {
  expect(judgePage({ html: text + html + script }).need).toBeNull();
});

test.each([
  '<frameset cols="20%,*"><frame src="menu.html"><frame src="main.html"></frameset>',
  `<frameset rows="*"><frame src="main.html"><noframes>${text}</noframes></frameset>`,
  '<h1>The mill</h1><iframe src="/content.html" width="100%" height="600"></iframe>',
  '<iframe srcdoc="<p>The mill"></iframe>',
  '<object data="/content.html" type="text/html"></object>',
  '<object data="/content?of=mill.pdf"></object>',
  '<iframe src="https://pages.example.org/mill" style="width: 100vw; height: 0.9em"></iframe>',
  '<iframe src="/mill" style="position: relative; top: -100px; max-width: 0"></iframe>',
])('a page whose content stands in frames: %s', (html) => {
  expect(judgePage({ html, url: 'https://www.example.org/' }).need).toBe('a page in frames');
});

test.each([
  `${text}<iframe src="/map"></iframe>`,
  `${text}<frame src="/main.html">`,
  '<p>The mill</p><frame src="/main.html">',
  '<p>The mill</p><frameset><frame src="/main.html"></frameset>',
  '<p>The mill</p><iframe src="/count" width="1" height="1"></iframe>',
  '<p>The mill</p><iframe src="/count" style="border: 0; height:1px"></iframe>',
  '<p>The mill</p><iframe src="/count" hidden></iframe>',
  '<p>The mill</p><noscript><iframe src="/count"></iframe></noscript>',
  '<p>The mill</p><template><iframe src="/main.html"></iframe></template>',
  '<p>The mill</p><iframe src="about:blank"></iframe><iframe></iframe>',
  '<p>The mill</p><dialog><iframe src="/ask"></iframe></dialog>',
  '<p>The mill</p><footer><iframe src="/map"></iframe></footer>',
  '<p>The mill</p><object data="/mill.swf"></object>',
  '<p>The mill</p><object data="/mill" type="application/pdf"></object>',
  '<p>The mill</p><svg><frame src="/main.html" /></svg>',
  '<p>The mill</p><iframe src="https://video.example.com/embed/7" width="560" height="315"></iframe>',
  '<p>The mill</p><iframe src="//maps.example.com/mill"></iframe>',
  '<base href="https://maps.example.com/"><p>The mill</p><iframe src="mill"></iframe>',
  '<p>The mill</p><object data="https://video.example.com/v/7"></object>',
  '<p>The mill</p><iframe src="/count" style="width:0;height:0;border:0"></iframe>',
  '<p>The mill</p><iframe src="/count" width="0%" height="0%"></iframe>',
  '<p>The mill</p><iframe src="/count" style="position: absolute; left: -9999px"></iframe>',
  '<p>The mill</p><iframe src="/count" style="position:fixed;top:-999em"></iframe>',
])('a page that is read as it is, frames or not: %s', (html) => {
  expect(judgePage({ html, url: 'https://www.example.org/' }).need).toBeNull();
});

test.each([
  '<div ng-view></div>',
  `<div data-ng-include="'/rows.html'"></div>`,
  '<div ui-view></div>',
  '<p :text="told"></p>',
  '<div :innerHTML.prop="told"></div>',
  '<div sse-connect="/rows" sse-swap="message"></div>',
  '<div data-controller="content-loader" data-content-loader-url-value="/rows"></div>',
  '<turbo-frame id="rows" src="/rows"><p>They come soon</p></turbo-frame>',
  '<include-fragment src="/rows"><p>They come soon</p></include-fragment>',
  '<div hx-get="/rows" hx-trigger="every 2s">They come soon</div>',
  `<div wire:id="a" x-intersect="$wire.__lazyLoad('x')">They come soon</div>`,
  `<div wire:id="a" x-init="$wire.__lazyLoad('x')"></div>`,
  '<table data-toggle="table" data-url="/rows.json"><thead><tr><th>Name</table>',
  '<span class="MuiSkeleton-root MuiSkeleton-text"></span>',
  '<!--Blazor:{"type":"webassembly","prerenderId":null,"assembly":"x"}-->',
  '<!--Blazor:{"type":"server","sequence":0,"descriptor":"x"}-->',
])('a part that only a script brings: %s', (part) => {
  expect(judgePage({ html: `<main>${text}${part}</main>${script}` }).need).not.toBeNull();
  expect(judgePage({ html: `<main>${text}${part}</main>` }).need).toBeNull();
});

test.each([
  '<div ng-view><p>Rows are here</p></div>',
  '<turbo-frame id="rows"><p>Rows are here</p></turbo-frame>',
  '<dialog><turbo-frame id="rows" src="/rows"></turbo-frame></dialog>',
  '<nav><turbo-frame id="rows" src="/rows"><p>Menu</p></turbo-frame></nav>',
  '<div hx-get="/rows" hx-trigger="click">Rows</div>',
  '<div x-init="$wire.start()">Rows</div>',
  '<div data-controller="tabs" data-tabs-name-value="a"></div>',
  '<div data-controller="like" data-like-url-value="/like"><p>Like</p></div>',
  '<table data-toggle="table"><tr><td>Slate</table>',
  '<div class="MuiSkeleton-root"><p>Rows are here</p></div>',
  '<!--Blazor:{"type":"server","prerenderId":"a1","descriptor":"x"}--><p>Rows</p><!--Blazor:{"prerenderId":"a1"}-->',
  '<!--Blazor-Server-Component-State:CfDJ8-->',
])('a part that is there already: %s', (part) => {
  expect(judgePage({ html: `<main>${text}</main>${part}${script}` }).need).toBeNull();
});

test.each([
  'document.getElementById("next").submit()',
  'var form = document.querySelector("form"); form.submit()',
  'document.forms[0].submit()',
  'document.next.submit()',
  '$("#next").submit()',
  'window.open("/next", "_self")',
  'open("/next", "_top")',
  `document.write('<meta http-equiv="refresh" content="0;url=/next">')`,
  'navigation.navigate("/next")',
])('a script leads elsewhere by %s', (code) => {
  expect(judgeScript(code, '<form id="next"></form>')).toBe('a redirect by script');
});

test.each([
  '$("#next").submit(check)',
  'var form = document.createElement("form"); form.submit()',
  'function send(form) { form.submit() } send(made)',
  'button.addEventListener("click", () => document.forms[0].submit())',
  'if (location.search) document.forms[0].submit()',
  'window.open("/next", "_blank"); window.open("/next")',
  'shop.open("/next", "_self")',
  `document.write('<meta name="refresh">')`,
  'router.navigate("/next")',
])('none by %s', (code) => {
  expect(judgeScript(code, '<form id="next"></form>')).not.toBe('a redirect by script');
});

test('the rows of a table that are asked for come below its head', () => {
  const place = '<table id="rows"><thead><tr><th>Name<th>Weight and place</table>';
  expect(judgeScript('$("#rows").DataTable({ ajax: "/rows" })', place)).toBe('content by script');
  expect(judgeScript('$("#rows").dataTable({ sAjaxSource: "/rows" })', place)).toBe('content by script');
  expect(judgeScript('$("#rows").DataTable({ paging: true })', place)).toBeNull();
});
