/** A whole small site: plenty of static words, and a part that only its scripts bring. By path, what it answers. */
export interface PartSite {
  what: string;
  /** `/` is its page. Other types than HTML by the ending of their paths. */
  files: Record<string, string>;
  /** What the page says once its scripts have run. */
  says: string;
}

const prose = 'The upper quarry employed four hundred people, and the railway ran twice a day. ';
const story = `<h1>How slate is split</h1>${`<p>${prose.repeat(4)}</p>`.repeat(4)}`;
const said = 'Rails to the harbour';

const page = (body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The quarry</title>${head}</head><body><header><nav><a href="/">Home</a></nav></header>${body}<footer><p>${prose}</p></footer></body></html>`;
const long = (part: string, scripts: string): string =>
  page(`<main>${story}${part}${story}</main>${scripts}`);
const by = (what: string, part: string, script: string, files: Record<string, string> = {}): PartSite => ({
  what,
  files: { '/': long(part, '<script src="/site.js"></script>'), '/site.js': script, ...files },
  says: said,
});

/** What libraries do, as little of them as it takes. */
const jquery = `window.$=window.jQuery=function(a){if(typeof a==='function'){if(document.readyState!=='loading')a($);else document.addEventListener('DOMContentLoaded',function(){a($)});return}var e=document.querySelectorAll(a);return{load:function(u){fetch(u.split(' ')[0]).then(function(r){return r.text()}).then(function(t){e[0].innerHTML=t})},html:function(h){e[0].innerHTML=h}}};`;
const alpine = `addEventListener('DOMContentLoaded',function(){document.querySelectorAll('[x-data]').forEach(function(r){var d=new Function('return ('+r.getAttribute('x-data')+')')();r.querySelectorAll('[x-text]').forEach(function(e){e.textContent=d[e.getAttribute('x-text')]})})});`;

/** Sites whose scripts are files of their own, as those of most sites are; their HTML alone does not tell what they do. */
export const partSites: PartSite[] = [
  by(
    'a list that a script of the site fetches',
    '<div id="timetable"></div>',
    `fetch('/rows.json').then(r => r.json()).then(rows => { document.getElementById('timetable').innerHTML = rows.map(row => '<p>' + row + '</p>').join(''); });`,
    { '/rows.json': JSON.stringify([said]) },
  ),
  by(
    'elements in a fragment',
    '<div id="board"></div>',
    `document.addEventListener('DOMContentLoaded', () => { const all = document.createDocumentFragment(); for (const text of ['${said}']) { const p = document.createElement('p'); p.textContent = text; all.appendChild(p); } document.getElementById('board').appendChild(all); });`,
  ),
  by(
    'a name for getElementById',
    '<section id="news"></section>',
    `const $ = (id) => document.getElementById(id); function show(at, text) { $(at).textContent = text; } show('news', '${said}');`,
  ),
  by(
    'elements found by their attributes',
    '<p><b data-slot="headline"></b></p>',
    `document.querySelectorAll('[data-slot]').forEach((one) => { one.textContent = '${said}'; });`,
  ),
  by(
    'places kept in an object',
    '<div id="out"></div>',
    `var ui = { out: document.getElementById('out') }; function draw() { ui.out.innerHTML = '<p>${said}</p>'; } window.addEventListener('load', draw);`,
  ),
  by(
    'rows of a table',
    '<table id="tons"><tr><th>Year</th></tr></table>',
    `const table = document.getElementById('tons'); const row = table.insertRow(); row.insertCell().textContent = '${said}';`,
  ),
  by(
    'a class that keeps its place',
    '<div class="panel"></div>',
    `class Panel { constructor() { this.el = document.querySelector('.panel'); this.draw(); } draw() { this.el.innerHTML = '<p>${said}</p>'; } } new Panel();`,
  ),
  by('a redirect', '', `setTimeout(function () { location.replace('/next.html'); }, 50);`, {
    '/next.html': page(`<main><h1>${said}</h1>${story}</main>`),
  }),
  by('text that is written', '', `document.write('<p>${said}</p>');`),
  {
    what: 'a module that imports another',
    files: {
      '/': long('<div id="map-legend"></div>', '<script type="module" src="/js/main.js"></script>'),
      '/js/main.js': `import { draw } from './draw.js';\ndraw('${said}');`,
      '/js/draw.js': `export function draw(text) { document.querySelector('#map-legend').append(text); }`,
    },
    says: said,
  },
  {
    what: 'a call in the page of what a script has',
    files: {
      '/': long('<div id="shop"></div>', '<script src="/lib.js"></script><script>Shop.start();</script>'),
      '/lib.js': `var Shop = { start: function () { document.getElementById('shop').innerHTML = '<p>${said}</p>'; } };`,
    },
    says: said,
  },
  {
    what: 'load of jQuery, from a script of the site',
    files: {
      '/': long(
        '<div id="notes"></div>',
        '<script src="/jquery.min.js"></script><script src="/site.js"></script>',
      ),
      '/jquery.min.js': jquery,
      '/site.js': `$(function () { $('#notes').load('/notes.html'); });`,
      '/notes.html': `<p>${said}</p>`,
    },
    says: said,
  },
  {
    what: 'Alpine beside the content',
    files: {
      '/': page(
        `<main>${story}</main><aside class="sidebar"><div x-data="{ line: '${said}' }"><span x-text="line"></span></div></aside><script src="/alpine.js" defer></script>`,
      ),
      '/alpine.js': alpine,
    },
    says: said,
  },
  {
    what: 'an aside that a script fills',
    files: {
      '/': page(
        `<main>${story}</main><aside><div id="weather"></div></aside><script src="/site.js"></script>`,
      ),
      '/site.js': `document.getElementById('weather').innerHTML = '<p>${said}</p>';`,
    },
    says: said,
  },
];

/** A site whose scripts change nothing that a reader would miss. */
export const plainSite: PartSite = {
  what: 'a menu, a year and a counter',
  files: {
    '/': page(
      `<main>${story}<p>${said}</p></main><button id="menu">Menu</button><nav id="links" hidden></nav><span id="year"></span><script src="/site.js"></script>`,
    ),
    '/site.js': `document.getElementById('menu').addEventListener('click', function () { document.getElementById('links').innerHTML = '<a href="/a">A</a>'; }); document.getElementById('year').textContent = new Date().getFullYear(); navigator.sendBeacon('/count');`,
  },
  says: said,
};
