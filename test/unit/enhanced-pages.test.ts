import { expect, test } from 'vitest';
import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';

const article = `<h1>How slate is split</h1>${'<p>A sentence of an article that says something.</p>'.repeat(120)}`;
const judge = (part: string) =>
  judgePage({ html: `<main>${article}${part}</main><script src="/site.js"></script>` }).need;
const judgeCode = (code: string) => judge(`<div id="out"></div><script>${code}</script>`);
const writes = (value: string) => `document.getElementById("out").textContent = ${value}`;

test.each([
  writes('localStorage.theme === "dark" ? "Light mode" : "Dark mode"'),
  writes('new Date().toLocaleDateString("en-GB", { weekday: "long" })'),
  writes('"Good " + (new Date().getHours() < 12 ? "morning" : "evening")'),
  `const year = new Date().getFullYear(); ${writes('year')}`,
  `setInterval(function () { ${writes('new Date().toLocaleTimeString()')} }, 1000)`,
  `const days = ["Sunday", "Monday"]; const now = new Date(); ${writes('days[now.getDay()]')}`,
  `const words = document.querySelector("main").innerText.split(/ +/).length; ${writes('`${Math.ceil(words / 200)} min read`')}`,
  `const all = document.querySelectorAll("tr").length; ${writes('"Showing " + all + " of " + all')}`,
  '$("#out").text(new Date().toDateString())',
  '$("#out").html("On this page: " + $("h2").text())',
  'document.querySelectorAll("h2").forEach((h) => { const a = document.createElement("a"); a.textContent = h.textContent; out.append(a) })',
  `for (const h of document.querySelectorAll("h2")) out.insertAdjacentHTML("beforeend", '<a href="#' + h.id + '">' + h.textContent + "</a>")`,
  'out.appendChild(document.createTextNode(document.title))',
  'document.write(document.lastModified)',
  `document.querySelectorAll("p").forEach((p) => p.insertAdjacentHTML("beforeend", '<a href="#' + p.id + '">#</a>'))`,
  'const bar = document.createElement("div"); bar.className = "cookie-bar"; bar.innerHTML = "We use cookies."; document.body.appendChild(bar)',
  'const up = document.createElement("a"); up.href = "#"; up.textContent = "Back to the top of this page"; document.body.append(up)',
])('what a page or its reader knows already is no content: %s', (code) => {
  expect(judgeCode(code)).toBeNull();
});

test.each([
  writes('document.getElementById("out").dataset.text'),
  writes('JSON.parse(document.getElementById("data").textContent).title'),
  writes('show(document.title)'),
  writes('prices[document.title]'),
  writes('"5 of " + total'),
  `const all = ["The upper quarry employed four hundred people"]; ${writes('all[new Date().getDay()]')}`,
  `const date = new Date(); fetch("/a").then((date) => { ${writes('date')} })`,
  `let text = document.title; text = told; ${writes('text')}`,
  `for (const one of items) ${writes('one + document.title')}`,
  `const location = shop; ${writes('location.name')}`,
  writes(`"${'It is a long text that a script holds itself. '.repeat(3)}" + new Date().getDay()`),
  'document.getElementById("out").innerHTML = document.getElementById("part").innerHTML',
  'fetch("/feed").then(read).then((feed) => feed.querySelectorAll("item").forEach((one) => { const li = document.createElement("li"); li.textContent = one.querySelector("title").textContent; out.append(li) }))',
  'const box = document.createElement("div"); box.className = "news"; box.innerHTML = "The news of the day"; document.body.appendChild(box)',
  'const box = document.createElement("div"); box.className = "carousel"; box.innerHTML = "The news of the day"; out.appendChild(box)',
])('what neither of them knows is content: %s', (code) => {
  expect(judgeCode(code)).toBe('content by script');
});

test('what is known is told in time that grows with the script', () => {
  const sum = (count: number) =>
    Array.from({ length: count }, (_, at) => `document.title + x${at}`).join(' + ');
  const chain = Array.from({ length: 5_000 }, (_, at) => `var x${at + 1} = x${at} + x${at};`).join('');
  const start = performance.now();
  judgeCode(`${writes('x5000')}; var x0 = document.title; ${chain} ${writes(sum(2_000))}`);
  judgeCode(`${writes('a')};`.repeat(2_000) + 'var a = new Date();'.repeat(2_000));
  expect(performance.now() - start).toBeLessThan(10_000);
});

test.each([
  '<div wire:loading>Loading...</div>',
  '<div wire:loading.delay wire:target="find">Loading...</div>',
  '<div id="menu-app"><button>Menu</button></div>',
  '<span id="view-count"></span><script>fetch("/n").then((n) => { document.getElementById("view-count").textContent = n })</script>',
])('nothing of the content stands in %s', (part) => {
  expect(judge(`<h2>A part</h2>${part}`)).toBeNull();
});

test.each([
  '<p wire:loading.class="dim">Loading...</p>',
  '<p wire:target="find">Loading...</p>',
  '<div id="shop-app"><button>Menu</button></div>',
  '<span id="amount-due"></span><script>fetch("/n").then((n) => { document.getElementById("amount-due").textContent = n })</script>',
  '<span id="country"></span><script>fetch("/n").then((n) => { document.getElementById("country").textContent = n })</script>',
])('content may come in %s', (part) => {
  expect(judge(`<h2>A part</h2>${part}`)).not.toBeNull();
});

test.each(['Turn on JavaScript for the best experience.', 'Some features require JavaScript.'])(
  'a notice of a part of a page asks for no browser: %s',
  (notice) => {
    const page = (text: string) =>
      judgePage({
        html: `${article.slice(0, 3_000)}<noscript>${text}</noscript><script src="/a.js"></script>`,
      });
    expect(page(notice).need).toBeNull();
    expect(page('This page requires JavaScript.').need).toBe('a plea for JavaScript');
  },
);
