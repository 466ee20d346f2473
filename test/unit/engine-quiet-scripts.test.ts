import { expect, test } from 'vitest';
import { judgePage } from '../../src/workers/page/engine/needs-browser.ts';

const article = `<p>${'A sentence of an article that says something. '.repeat(60)}</p>`;
const judge = (part: string) => judgePage({ html: article + part }).need;
const judgeScript = (code: string, place = '') => judge(`${place}<script>${code}</script>`);

const byScript = 'content by script';
const redirect = 'a redirect by script';

test.each([
  [
    'a page that comes back',
    'window.onpageshow = (event) => { if (event.persisted) location.reload() }',
    null,
  ],
  ['a telephone', 'if (navigator.userAgent.indexOf("Mobile") > 0) location.replace("/m")', null],
  [
    'a name for the browser',
    'const agent = navigator.userAgent; if (/Opera Mini/.test(agent)) location = "/m"',
    null,
  ],
  [
    'what is derived from the address',
    'const at = location.href; const parts = at.split("?"); const plain = parts[0]; if (wanted != plain) location.replace(wanted)',
    null,
  ],
  ['a failure', 'try { start() } catch (error) { location.reload() }', null],
  ['an answer of its reader', 'if (confirm("Leave?")) location.href = "/next"', null],
  ['the page itself', 'if (items.length > 0) location.replace("/next")', redirect],
  ['a kept address', 'const next = "https://a.example/b"; if (next) location.replace(next)', redirect],
  [
    'an address that is made',
    'const next = location.origin + "/b"; if (next) location.replace(next)',
    redirect,
  ],
  [
    'a language, whichever it is',
    'const tongue = navigator.language; if (tongue === "de") { location = "/de" } else { location = "/en" }',
    redirect,
  ],
  [
    'an answer that has the address in what was asked',
    'data = { page: location.href }; ask(data, (data) => { if (data.next) location.href = data.next })',
    redirect,
  ],
  ['nothing', 'try { location.replace("/next") } catch (error) { log(error) }', redirect],
])('a redirect that hangs on %s', (_what, code, need) => {
  expect(judgeScript(code)).toBe(need);
});

const out = '<div id="out"></div>';

test.each([
  ['"<div><script>show(1)<" + "/script></div>"', null],
  [`'<a href="#top">Back to the top</a>'`, null],
  [`'<a href="/login">Log in</a> | <a href="/register">Register</a>'`, null],
  [`'<button>Show the comments</button>'`, null],
  [`'<span onclick="save()"><img src="/heart.svg"> Save the recipe</span>'`, null],
  ['"(" + comments + ")"', null],
  ['addStylesNode.textContent', null],
  [`'<div class="site-notice"><p>We have moved</p></div>'`, null],
  ['"<div><p>" + told + "</p></div>"', byScript],
  [`'<a href="/a">A long title of an article that is linked</a>'`, byScript],
  [`'<a href="/a">' + title + '</a>'`, byScript],
  [`'<a href="#a">' + title + '</a>'`, byScript],
  [`'<b>' + person.firstName + '</b>'`, byScript],
  ['"Open " + hours', byScript],
  ['lifestyle.text', byScript],
  [`'<p class="' + rowStyles + '">' + title + '</p>'`, byScript],
  [`'<a href="tel:1">Call the mill</a>'`, byScript],
  [`'<a href="/a">Chapter one</a> <a href="/b">Chapter two</a> <a href="/c">Last one</a>'`, byScript],
  ['`<div class="alert">${told}</div>`', byScript],
  ['"★★★★☆"', byScript],
  [`'<div class="noticeable"><p>We have moved</p></div>'`, byScript],
])('what is written as %s', (value, need) => {
  expect(judgeScript(`document.getElementById("out").innerHTML = ${value}`, out)).toBe(need);
  expect(judgeScript(`$("#out").html(${value})`, out)).toBe(need);
});

test.each([
  ['document.write("<plaintext style=\'display:none\'>")', null],
  ['document.write("<p>" + loads.top + "</p>")', byScript],
])('%s', (code, need) => {
  expect(judgeScript(code)).toBe(need);
});

const shown = '<div id="shown">Some words</div>';

test.each([
  ['$("#shown").appendTo("#out")', null],
  ['$("#shown").find("b").show().appendTo("#out")', null],
  ['$("#out").append($("#shown").children())', null],
  ['$("#out").html($("#shown").html())', null],
  ['document.getElementById("out").innerHTML = document.getElementById("shown").innerHTML', null],
  ['$("<b>").text(told).appendTo("#out")', byScript],
  ['$("#out").append(rows)', byScript],
  ['$("#out").html($("#hidden").html())', byScript],
  ['$("#out").append($("#shown").attr("title"))', byScript],
  ['var row = $("#shown").clone(); row.text(told); $("#out").append(row)', byScript],
  ['$("#out").off().html(told)', byScript],
])('what is only moved within its page is there already: %s', (code, need) => {
  expect(judgeScript(code, `${shown}<template id="hidden">word</template>${out}`)).toBe(need);
});

test.each([
  ['$("#frame").on("load", function () { $("#out").html(told) })', null],
  ['$("#other").on("load", function () { $("#out").html(told) })', byScript],
])('what comes once a form has been sent into a frame waits for its reader: %s', (code, need) => {
  expect(judgeScript(code, out)).toBe(need);
});

test.each([
  ['Be the first to comment', null],
  ['Please wait a moment', byScript],
  ['Coming soon to you', byScript],
  ['Comments: 3', byScript],
  ['', byScript],
])('"%s" in place of which a script says plain words', (text, need) => {
  expect(judgeScript('$("#out").text("Leave a comment now")', `<h2 id="out">${text}</h2>`)).toBe(need);
});

const fill = 'make(something).innerHTML = told;';

test.each([
  ['fill(document.getElementById("out"))', out, byScript],
  ['$("#out").on("click", show)', out, null],
  ['$("#out").show()', out, null],
  ['$("#shown").prependTo($("#out"))', out + shown, null],
  ['find(".list span")', '<p class="list">A <span></span></p>', null],
  ['fill(document.getElementById("out"))', `<aside>${out}</aside>`, null],
  ['fill(document.getElementById("out"))', '<div id="out">Some words</div>', null],
  ['fill(document.getElementById("out"))', '<div id="out">€ 0</div>', byScript],
  ['$("#out").slideUp(() => fill())', out, byScript],
])('a script that writes somewhere, and says %s', (code, place, need) => {
  expect(judgeScript(`${fill} ${code}`, place)).toBe(need);
});

const prose = 'Chop the onions and fry them in butter until they are soft and golden brown all over.';

test.each([
  ['data-props', `{"title":"Method","steps":[{"text":"${prose}"}]}`, 'data that is not shown'],
  ['data-model', `[{"text":"${prose}"}]`, 'data that is not shown'],
  ['data-settings', `{"speed":300,"${'key":"value","'.repeat(30)}hint":"${prose}"}`, null],
  ['data-title', prose, null],
  ['data-props', '{"title":"Method","steps":[]}', null],
  ['data-messages', `{"wait":"${prose}"}`, null],
])('an empty element whose %s is %s', (name, value, need) => {
  const element = (text: string) =>
    `<div class="steps" ${name}='${value}'>${text}</div><script src="/a.js"></script>`;
  expect(judge(element(''))).toBe(need);
  expect(judge(element(prose))).toBeNull();
});

test('what a picture is given is no content', () => {
  const given = `data-image-meta='{"caption":"${prose}"}'`;
  expect(judge(`<figure><img ${given}></figure><script src="/a.js"></script>`)).toBeNull();
});

test('data whose later part the page shows is shown', () => {
  const hint = 'Please fill in the name of your company before you go on to the payment';
  const words = 'zero one two three four five six seven eight nine'.split(' ');
  const hints = Array.from({ length: 200 }, (_, at) => `${hint} ${words[at % 10]}.`);
  const text = Array.from({ length: 50 }, (_, at) => `${prose.slice(0, -1)} for ${words[at % 10]}.`).join(
    ' ',
  );
  const state = JSON.stringify({ hints, text });
  const page = (content: string) =>
    judge(`<p>${content}</p><script>window.__PRELOADED_STATE__ = ${state}</script>`);
  expect(page('')).toBe('data that is not shown');
  expect(page(text)).toBeNull();
});

test.each([
  ['<div class="recirculation loading"></div>', null],
  ['<div class="AuthStatus is-loading"></div>', null],
  ['<div class="stories loading"></div>', 'a skeleton'],
])('%s in the content', (part, need) => {
  expect(judge(`<div class="content">${part}</div><script src="/a.js"></script>`)).toBe(need);
});

test.each([
  ['<i x-html="starIcon"></i>', null],
  ['<i x-html="star"></i>', 'an empty i'],
  ['<p data-text="Share this recipe"></p>', null],
  ['<p data-text="title"></p>', 'an empty p'],
  ['<b x-html="star"></b>', 'an empty b'],
  ['<site-bar city="Bangor"></site-bar>', null],
  ['<add-to-plan city="Bangor"></add-to-plan>', null],
  ['<span class="icon price"></span>', null],
  ['<span class="price"></span>', 'an empty place for content'],
])('%s in an article', (part, need) => {
  expect(judge(`${part}<script src="/a.js"></script>`)).toBe(need);
});

test.each([
  [
    'a function of its own',
    'const html = $("html"); html.addClass("js"); $.get("/part", (html) => { $("#out").append(html) })',
  ],
  [
    'two functions',
    '(() => { const t = $("#shown").find("b"); t.hide() })(); (() => { $.get("/x", (t) => { $("#out").html(t) }) })()',
  ],
  [
    'a text that was read',
    'const text = document.getElementById("shown").textContent; log(text); fetch("/x").then((r) => r.text()).then((text) => { document.getElementById("out").innerHTML = text })',
  ],
  ['two values', 'let t = told; $("#out").html(t); t = $("#shown").html(); log(t)'],
  [
    'a notice of another function',
    'const box = "<div class=alert>Saved</div>"; show(box); $.get("/x", (box) => { $("#out").html(box) })',
  ],
])('a name that stands for more than one thing stands for none: %s', (_, code) => {
  expect(judgeScript(code, '<p id="shown">Shown</p><div id="out"></div>')).toBe(byScript);
});

test.each([
  ['$("#out").hide("fast", function () { $(this).html(told).fadeIn() })', byScript],
  ['$("#out").on("load", function () { this.innerHTML = told })', byScript],
  ['function fill(el) { make(el).innerHTML = told } fill($("#out").addClass("ready"))', byScript],
  ['start({ el: $("#out").show() }); make(x).innerHTML = told', byScript],
  ['$("#out").addClass("ready"); make(x).innerHTML = told', null],
  ['log($("#out").height()); make(x).innerHTML = told', null],
])('what is looked up may be handed on: %s', (code, need) => {
  expect(judgeScript(code, '<div id="out"></div>')).toBe(need);
});

test.each([
  ['"We are " + (isOpen ? "open now" : "closed now")', byScript],
  ['`We are ${isOpen ? "open now" : "closed now"}`', byScript],
  ['"We are open"', null],
])('words that hang on a choice take the place of others: %s', (value, need) => {
  expect(judgeScript(`$("#out").text(${value})`, '<p id="out">Opening hours</p>')).toBe(need);
});

test('a long text is no notice, whatever it is called', () => {
  const box = (text: string) => `$("#out").html("<div class='alert-page'>${text}</div>")`;
  expect(judgeScript(box('A sentence of it. '.repeat(90)), '<div id="out"></div>')).toBe(byScript);
  expect(judgeScript(box('Saved.'), '<div id="out"></div>')).toBeNull();
});

test('it leads elsewhere either way only where a last way does', () => {
  const ways =
    'if (/Mobile/.test(navigator.userAgent)) location.href = "/m"; else if (/iPad/.test(navigator.userAgent)) location.href = "/t"';
  expect(judgeScript(ways)).toBeNull();
  expect(judgeScript(`${ways}; else track(location.pathname)`)).toBeNull();
  expect(judgeScript(`${ways}; else location.href = "/d"`)).toBe(redirect);
});
