import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

const url = 'http://site.example/slate';
const paragraph = (n: number): string =>
  `<p>Part ${n}: the block has to be wet when it is split, or the sheets break at the edges, as the old hands of the quarry say.</p>`;
const header =
  '<header><a href=/><img src=/logo.png width=300></a><nav><a href=/a>Slates</a> <a href=/b>Clays</a></nav></header>';
const footer = '<footer><p>© 2024 Slate Ltd.</p><img src=/badge.png width=300></footer>';
const read = (main: string, { head = '', ...options }: { head?: string; selector?: string } = {}) =>
  extractPage({
    html: `<!doctype html><title>How slate is split</title>${head}<body>${header}${main}${footer}`,
    url,
    ...options,
  });
const named = (main: string, options = {}): string[] =>
  read(main, options).images.map((image) => image.url.replace(/^.*\/|\.\w+$/g, ''));
const h1 = '<h1>How slate is split</h1>';
const text = `${paragraph(1)}${paragraph(2)}${paragraph(3)}`;
const wide = '<img src=/a.jpg width=1200 height=800 alt=Slate>';

test.each([
  [
    'between the title and the text',
    `<main>${h1}<figure>${wide}<figcaption>A block</figcaption></figure>${text}</main>`,
    ['a'],
  ],
  ['without an element around the text', `${h1}<div>${wide}</div>${text}`, ['a']],
  [
    'below the line of the writer',
    `<main>${h1}<div class=meta><a href=/ada>Ada Smith</a></div>${wide}${text}</main>`,
    ['a'],
  ],
  [
    'a gallery before the price',
    `<main>${h1}<div>${wide}<img src=/b.jpg width=800></div><p class=price>$449.00</p>${text}</main>`,
    ['a', 'b'],
  ],
  ['at the beginning of the article', `<main><article><img src=/a.jpg>${h1}${text}</article></main>`, ['a']],
  ['behind the last paragraph', `<article>${h1}${text}<p><img src=/a.jpg></p></article>`, ['a']],
  [
    'of the writer, below the title',
    `<main>${h1}<div><img src=/ada.jpg width=40 height=40><a href=/ada>Ada Smith</a></div>${text}</main>`,
    [],
  ],
  [
    'of who wrote it, behind the text',
    `<main><article>${h1}${text}<div class=author-bio><img src=/ada.jpg><a href=/ada>Ada Smith</a></div></article></main>`,
    [],
  ],
  [
    'of another page',
    `<main><article>${h1}${text}</article><aside><article><img src=/b.jpg><h3><a href=/clay>Clay</a></h3></article></aside></main>`,
    [],
  ],
])('a picture %s', (_, main, images) => {
  expect(named(main)).toEqual(images);
});

const promo = '<a href=/sale><img src=/x.jpg width=728 height=90></a>';
const small = '<img src=/x.jpg width=80 height=80>';
test.each([
  ['an advertisement', '<div class=ad><img src=/x.jpg width=728 height=90></div>'],
  ['a link to another page', `<p>${promo}</p>`],
  ['a sign that is a link', '<p><a href=/print><img src=/x.gif></a> <a href=/feed><img src=/y.gif></a></p>'],
  ['a button to share', '<div class=share><img src=/x.svg></div>'],
  ['a portrait', `<div>${small}</div>`],
  ['a portrait of the writer', '<div class=author><img src=/x.jpg></div>'],
  ['what is beside the text', '<aside><img src=/x.jpg></aside>'],
  ['what is related', '<div class=related><div><img src=/x.jpg width=300></div></div>'],
  ['a small figure', `<figure>${small}<figcaption>Ada</figcaption></figure>`],
])('%s is no picture of an article, at its beginning, its end or under its title', (_, markup) => {
  for (const main of [
    `<article>${markup}${h1}${text}</article>`,
    `<article>${h1}${text}${markup}</article>`,
    `${h1}${markup}<main>${text}</main>`,
  ])
    expect({ main, images: named(main) }).toEqual({ main, images: [] });
});

test.each([
  ['a link to the picture', `<a href=/large.jpg>${wide}</a>`],
  ['a link to the page', `<a href=/slate#a>${wide}</a>`],
  ['in a figure of unknown size', '<figure><img src=/a.jpg><figcaption>A block</figcaption></figure>'],
])('a picture of an article is kept that is %s', (_, markup) => {
  for (const main of [
    `<article class=latest>${markup}${h1}${text}</article>`,
    `<article class=latest>${h1}${text}${markup}</article>`,
    `${h1}${markup}<main>${text}</main>`,
  ])
    expect(named(main)).toEqual(['a']);
});

test('of the entries of a list the first keeps its picture too', () => {
  const entry = (n: number): string =>
    `<article><a href=/p${n}><img src=/i${n}.jpg></a><h2><a href=/p${n}>Of slate, part ${n}</a></h2>${paragraph(n)}</article>`;
  expect(
    named(
      `<main><h1>Blog</h1><p class=rss><a href=/feed>Feed</a></p>${[0, 1, 2].map(entry).join('')}</main>`,
    ),
  ).toEqual(['i0', 'i1', 'i2']);
});

test('what a selector does not match is not content, whatever stands beside it', () => {
  expect(
    named(`<main>${h1}${wide}<div class=text>${text}</div><img src=/b.jpg></main>`, { selector: '.text' }),
  ).toEqual([]);
});

test.each([
  [
    'in the text',
    `<main>${h1}${paragraph(1)}<figure>${wide}<figcaption>A block</figcaption></figure>${paragraph(2)}</main>`,
  ],
  [
    'elsewhere',
    `<div class=hero><figure>${wide}<figcaption>A block</figcaption></figure><p>Menu</p></div><main>${h1}${text}</main>`,
  ],
])('the picture that stands for a page is described as it is shown %s', (_, main) => {
  const head = '<meta property=og:image content="http://site.example/a.jpg">';
  expect(read(main, { head }).images).toEqual([
    { url: 'http://site.example/a.jpg', alt: 'Slate', caption: 'A block', width: 1200, height: 800 },
  ]);
});

const item = (picture: string) => `<li><div>${picture}</div></li>`;
const gallery = (...pictures: string[]) =>
  `<main><div><ul>${pictures.map(item).join('')}</ul><div><p>Slate Ltd.</p>${h1}${text}</div></div></main>`;
const own = '<img src="//site.example/a.jpg?v=17&width=1946" alt="A block" width=1946>';
const head = '<meta property=og:image content="http://site.example/a.jpg?v=17">';

test('the picture of a page is the same in another size', () => {
  const { images } = read(`<main>${h1}<div>${own}</div>${text}</main>`, { head });
  expect(images).toMatchObject([{ url: 'http://site.example/a.jpg?v=17', alt: 'A block' }]);
  const another = read(`<main>${h1}<div>${own.replace('v=17', 'v=18')}</div>${text}</main>`, { head });
  expect(another.images).toHaveLength(2);
});

test.each([
  ['another id', '/image?id=1&w=1200', '/image?id=2&w=600', 2],
  ['an id named as a quality', '/render?format=png&q=12', '/render?format=png&q=13', 2],
  ['an id named as a size', '/pic?size=1', '/pic?size=2', 2],
  ['a time named as a width', '/plot?w=5y', '/plot?w=1y', 2],
  ['another crop', '/a.jpg?crop=1:1&w=1200', '/a.jpg?crop=16:9&w=600', 2],
  ['another size', '/image?id=1&w=1200&dpr=1.5', '/image?id=1&w=600px', 1],
  ['another quality', '/a.jpg?q=90', '/a.jpg?q=50&size=800', 1],
])('a picture whose address has %s', (_, told, shown, count) => {
  const tag = `<meta property=og:image content="http://site.example${told}">`;
  expect(read(`<main>${h1}<img src="${shown}" width=600>${text}</main>`, { head: tag }).images).toHaveLength(
    count,
  );
});

test('in a text stand crops of one picture', () => {
  const tag = '<meta property=og:image content="http://site.example/a.jpg">';
  const [whole, part] = ['crop=16:9', 'crop=4:3'].map(
    (crop) => `<p><img src="/a.jpg?${crop}" alt=${crop} width=600></p>`,
  );
  const { images } = read(`<main>${h1}${paragraph(1)}${whole}${paragraph(2)}${part}${text}</main>`, {
    head: tag,
  });
  expect(images.map(({ alt }) => alt)).toEqual([null, 'crop=16:9', 'crop=4:3']);
});

const stated = '<meta property=og:image content="http://site.example/a.jpg?w=2400">';
const inSizes = '<meta property=og:image:width content=2400><meta property=og:image:height content=1600>';
const again = '<p><img src="/a.jpg?w=500" alt=Detail width=500 height=300></p>';
test.each([
  ['its own', '/a.jpg?w=2400', '', [1200, 800]],
  ['those of another address', '/a.jpg?w=1200', '', [1200, 800]],
  ['those of its address', '/a.jpg?w=1200', inSizes, [2400, 1600]],
])('the picture that stands for a page has %s as its sizes', (_, src, sizes, [width, height]) => {
  const shown = `<figure><img src="${src}" alt=Slate width=1200 height=800><figcaption>A block</figcaption></figure>`;
  const main = `<main>${h1}${shown}${paragraph(1)}${again}${text}</main>`;
  expect(read(main, { head: stated + sizes }).images).toEqual([
    { url: 'http://site.example/a.jpg?w=2400', alt: 'Slate', caption: 'A block', width, height },
  ]);
});

test('what a picture does not say where it stands first its next copy says', () => {
  const [first, next] = ['<p><img src=/a.jpg width=1200></p>', `<p>${wide}</p>`];
  expect(read(`<main>${h1}${paragraph(1)}${first}${text}${next}${text}</main>`).images).toEqual([
    { url: 'http://site.example/a.jpg', alt: 'Slate', caption: null, width: 1200, height: null },
  ]);
});

test.each([
  ['a sign', '<img src=/sign.png width=40>'],
  ['a portrait', '<div class=meta><img src="/sign.png?size=48" style="width: 48px"></div>'],
])('%s is no content in its small size, though it stands for the page in a large one', (_, markup) => {
  const tag = '<meta property=og:image content="http://site.example/sign.png?size=1200">';
  const { images, html } = read(`<main>${h1}${markup}${text}</main>`, { head: tag });
  expect(html).not.toContain('<img');
  expect(images).toMatchObject([{ url: 'http://site.example/sign.png?size=1200', width: null }]);
});

test.each([
  ['of its own', ['<img src=/b.jpg width=1946>'], ['a.jpg?v=17', 'b']],
  ['that is a sign', ['<img src=/b.jpg width=40>'], ['a.jpg?v=17']],
  ['that leads away', ['<a href=/clay><img src=/b.jpg width=1946></a>'], ['a.jpg?v=17']],
  ['behind a text', ['Clay', '<img src=/b.jpg width=1946>'], ['a.jpg?v=17']],
])("beside a page's own picture stands one %s", (_, others, images) => {
  expect(named(gallery(own, ...others), { head })).toEqual(images);
});

const figure = `<figure>${wide}<figcaption>A block</figcaption></figure>`;
const left = '<div class=ad>Advertisement</div>';
const lead =
  '<p class=standfirst>Nine blocks and eleven blows: how the oldest quarry of the valley splits its slate.</p>';
test.each([
  ['before what is left out', `${paragraph(1)}${figure}${left}${paragraph(2)}${paragraph(3)}`],
  ['behind what is left out', `${paragraph(1)}${left}${figure}${paragraph(2)}${paragraph(3)}`],
  ['in a box of its own', `${paragraph(1)}${left}<div>${figure}</div>${left}${paragraph(2)}${paragraph(3)}`],
  ['that is wide', `${paragraph(1)}${left}<p>${wide}</p>${paragraph(2)}${paragraph(3)}`],
  [
    'below the line of the writer',
    `${lead}<div class=byline>By <a href=/ada>Ada Smith</a></div><time datetime=2025-03-05>March 5, 2025</time>${figure}${text}`,
  ],
])('a picture amidst the text is kept %s', (_, body) => {
  expect(named(`<main><article>${h1}${body}</article></main>`)).toEqual(['a']);
});

test.each([
  ['an advertisement', '<div class=ad><img src=/x.jpg width=728 height=90></div>'],
  ['a link to another page', `<p>${promo}</p>`],
  ['a portrait', `<div>${small}</div>`],
  ['of unknown size', '<p><img src=/x.jpg></p>'],
  ['of what is offered', '<div><img src=/x.jpg width=300><p>Buy our book</p></div>'],
  ['of what is related', '<div class=related><img src=/x.jpg width=300></div>'],
])('a picture beside text that is left out is not kept: %s', (_, markup) => {
  for (const body of [`${left}${markup}`, `${markup}${left}`])
    expect(
      named(`<main><article>${h1}${paragraph(1)}${body}${paragraph(2)}${paragraph(3)}</article></main>`),
    ).toEqual([]);
});

test('each of the goods of a list has its picture, whatever buttons stand between them', () => {
  const good = (n: number): string =>
    `<li class=product><a href=/${n}.html><img src=/i${n}.jpg width=240 height=300></a><div><strong><a href=/${n}.html>Slate bag ${n}</a></strong><div class=price>$3${n}.00</div><button>Add to Cart</button></div></li>`;
  const goods = `<div class=toolbar><p>14 Items</p><label>Sort By</label></div><ol>${[0, 1, 2, 3, 4, 5].map(good).join('')}</ol>`;
  expect(named(`<main><h1>Bags</h1>${goods}</main>`)).toEqual(['i0', 'i1', 'i2', 'i3', 'i4', 'i5']);
});
