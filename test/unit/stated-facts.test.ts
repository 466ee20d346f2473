import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import { readHead } from '../../src/workers/page/html/head.ts';

test.each([
  ['2021-02-20 10:00:00 UTC', '2021-02-20T10:00:00Z'],
  ['2021-02-20T10:00+0100', '2021-02-20T10:00:00+01:00'],
  ['2021-02-20T10:00:00+01', '2021-02-20T10:00:00+01:00'],
  ['2021-02-20 10:00:00 EST', '2021-02-20T10:00:00-05:00'],
  ['2021-02-20 10:00:00 XYZ', '2021-02-20T10:00:00'],
  ['Sat, 20 Feb 2021 10:00:00 GMT', '2021-02-20T10:00:00Z'],
  ['20 February 2021 10:00 +0100', '2021-02-20T10:00:00+01:00'],
  ['Sat Feb 20 2021 10:00:00 GMT+0100 (Central European Standard Time)', '2021-02-20T10:00:00+01:00'],
  ['1613815200', '2021-02-20T10:00:00Z'],
  ['1613815200000', '2021-02-20T10:00:00Z'],
  ['161381520012', null],
  ['2021-02-20 10:30:00 PM', '2021-02-20'],
  ['20 February 2021 09:30 PM', '2021-02-20'],
  ['Sat, 20 Feb 2021 02:30 p.m. EST', '2021-02-20'],
  ['20 February 2021 10:00', '2021-02-20'],
  ['20 February 2021 10:00 UHR', '2021-02-20'],
  ['2021-02-30', null],
  ['30.2.2021', null],
])('published at %s', (stated, date) => {
  const html = `<meta property="article:published_time" content="${stated}"><article><h1>Slate</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).publishedAt).toBe(date);
});

test.each([
  ['de', 'Do., 14. März 2024'],
  ['fr', '14 mars 2024'],
  ['es-MX', '14 de marzo de 2024'],
  ['it', '14 marzo 2024'],
  ['pt-BR', '14 de março de 2024'],
  ['nl', '14 maart 2024'],
  ['ru', '14 марта 2024'],
  ['sv', '14 mars 2024'],
  ['ja', '2024年3月14日'],
  ['zh-Hant', '2024年3月14日'],
  ['de', 'March 14, 2024'],
  ['pl', '14 marca 2024'],
  ['cs', '14. března 2024'],
  ['tr', '14 Mart 2024'],
  ['hu', '2024. március 14.'],
  ['ko', '2024년 3월 14일'],
  ['ko', '2024. 3. 14.'],
  ['el', '14 Μαρτίου 2024'],
  ['ar', '١٤ مارس ٢٠٢٤'],
  ['th', '14 มีนาคม 2567'],
])('written in %s: %s', (language, written) => {
  const html = `<html lang=${language}><meta property=og:type content=article><article><h1>Slate</h1><p class=date>${written}</p><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).publishedAt).toBe('2024-03-14');
});

const article = 'property=og:type content=article';
const jsonLd = (data: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
const post = (datePublished: string, more: object = {}): object => ({
  '@type': 'BlogPosting',
  datePublished,
  ...more,
});
const [day, other] = ['2024-03-14', '2023-01-02'];

test.each([
  ['RDFa', `<span property="schema:datePublished" content="${day}">lately</span>`],
  ['pubdate', `<time datetime=${other}></time><time pubdate datetime=${day}>`],
  [
    'its own structured data, not the first',
    jsonLd([
      post(other, { url: 'http://a.example/older', headline: 'Older slate' }),
      post(day, { url: 'http://a.example/slate', headline: 'Slate' }),
    ]),
  ],
  [
    'the state of an application',
    `<script id=__NEXT_DATA__ type="application/json">{"post":{"publishedAt":"${day}T08:00","image":{"url":"/a.png"},"title":"Slate"},"next":{"title":"Other","publishedAt":"${other}"}}</script>`,
  ],
  [
    'the state of an application, by its address',
    `<script>push("{\\"datePublished\\":\\"${day}\\",\\"slug\\":\\"slate\\"}")</script>`,
  ],
  [
    'the state of an application, with braces and escapes in its texts',
    `<script type="application/json">{"excerpt":"f() { } a","url":"http:\\/\\/a.example\\/sl\\u0061te","datePublished":"${day}"}</script>`,
  ],
  [
    'a line for readers, not the day on which it is read',
    `<p>Thursday, January 5, 2023<h1>Slate</h1><p>March 14, 2024`,
  ],
  ['what readers are told of a change, alone', `<h1>Slate</h1><p>Last updated:<p>Mar 14, 2024`],
])('a day stated by %s', (_, markup) => {
  const html = `<title>Slate</title><meta ${article}>${markup}<h1>Slate</h1><p>It splits along its layers.`;
  expect(extractPage({ html, url: 'http://a.example/slate' }).publishedAt?.slice(0, 10)).toBe(day);
});

const entries = [1, 2, 3, 4].map((n) => `<li><a href=/${n}>Entry ${n}</a><p class=when>March ${n}, 2024`);

test.each([
  ['a change', `<meta property=article:modified_time content=${day}>`],
  [
    'the class of a change',
    `<div class=field--name-changed><time datetime=${day}>March 14, 2024</time></div>`,
  ],
  ['an answer', jsonLd(post('', { comment: post(day) }))],
  ['a list', jsonLd({ '@type': 'ItemList', itemListElement: [post(day)] })],
  [
    'the entries of a list',
    `<div><p>What we have<p>written<p>lately<p>of it</div><ul>${entries.join('')}</ul>`,
  ],
  ['a sentence', '<p>It was on March 14, 2024, that we first saw the quarry.'],
  [
    'days that disagree',
    `<script>s={"title":"Slate","publishedAt":"${day}"};t={"title":"Slate","publishedAt":"${other}"}</script>`,
  ],
  [
    'the state of the next page',
    `<script id=__NEXT_DATA__>{"props":{"post":{"title":"Slate"},"next":{"title":"Other","publishedAt":"${other}"}}}</script>`,
  ],
  [
    'the state of a related page',
    `<script>{"related":[{"title":"Other","datePublished":"${other}"}]}</script>`,
  ],
  ['how long ago', '<p>3 days ago<p>© 2024'],
  [
    'a page that is no post',
    `<body class="page page-id-7">${jsonLd({ '@type': 'WebPage', datePublished: day })}`,
  ],
  [
    'a page of which changes are told',
    `<meta property=article:modified_time content=${day}>${jsonLd({ '@type': 'WebPage', datePublished: other })}`,
  ],
  [
    'that of a comment',
    `<p>It splits.<ol class=comments-area><li><p>Bo, <time datetime=${day}T10:00>14 March 2024</time><p>So it does.</ol>`,
  ],
  [
    'that of a comment, marked',
    `<p>It splits.<div id=respond><div><time itemprop=datePublished datetime=${day}></time></div></div>`,
  ],
  [
    'that of another page',
    `<p>It splits.<aside class=recent-posts><a href=/x>Clay</a> <time datetime=${day}>14 March</time></aside>`,
  ],
  [
    'that of the page before',
    `<p>It splits.<nav><a href=/x>Clay <time datetime=${day}>14 March</time></a></nav>`,
  ],
  [
    'that on which a member was last seen',
    `<p>Last active <time datetime=${day}>14 March</time><p>It splits.`,
  ],
  [
    'that of what the text tells',
    `<p>The quarrymen meet on <time datetime=${day}>14 March</time>, and all are welcome there.`,
  ],
])('no day of publication is %s', (_, markup) => {
  const html = `<title>Slate</title><meta ${article}><h1>Slate</h1>${markup}`;
  expect(extractPage({ html, url: 'http://a.example/slate' }).publishedAt).toBeNull();
});

const split = '<p>It splits along its layers, as the old hands say.';
test.each([
  [
    'WordPress',
    `<time class="entry-date published" datetime=${other}>then</time><time class=updated datetime=${day}>now</time>${split}`,
    day,
  ],
  [
    'microdata',
    `${split}<time itemprop=datePublished datetime=${other}>then</time><time itemprop=dateModified datetime=${day}>now</time>`,
    day,
  ],
  [
    'an hentry',
    `<abbr class=published title=${other}>then</abbr><abbr class=updated title=${day}>now</abbr>${split}`,
    day,
  ],
  [
    'nobody, of a widget',
    `${split}</article><div class=tide>Tide updated <time datetime=${day}>now</time></div><article>`,
    null,
  ],
  ['nobody, of a member', `${split}<p>Last active <time datetime=${day}>now</time></p>`, null],
  ['the words before it', `<p>${other}${split}<p>Last updated <time datetime=${day}>1 year ago</time>`, day],
  [
    'Docusaurus',
    `${split}<span class=theme-last-updated>Last updated<b> on <time datetime=${day}>Mar 14, 2024</time></b></span>`,
    day,
  ],
  [
    'MkDocs',
    `${split}<aside class=md-source-file><span class="git-revision-date-localized-plugin" title="March 14, 2024 10:00:00 UTC">a year ago</span></aside>`,
    day,
  ],
  [
    'nobody, of the entries of a list',
    `${split}<p><time class=updated datetime=${day}>now</time><p><time class=updated datetime=${other}>then</time>`,
    null,
  ],
  [
    'nobody, of a comment',
    `${split}<ol id=comments><li><time class=updated datetime=${day}>now</time></ol>`,
    null,
  ],
  ['nobody, of both at once', `<time class="published updated" datetime=${day}>now</time>${split}`, null],
])('the day of a change is marked by %s', (_, markup, date) => {
  const html = `<html lang=en><meta ${article}><article><h1>Slate</h1>${markup}</article>`;
  const { modifiedAt } = extractPage({ html, url: 'http://a.example/slate' });
  expect(modifiedAt?.slice(0, 10) ?? null).toBe(date);
});

test.each([
  ['below the text', `<div class=relative>${split}</div><footer><time datetime=${day}>then</time></footer>`],
  [
    'in a part that a page builder has made',
    `${split}<div class="builder-widget builder-widget-post-info"><ul><li><time>March 14, 2024</time></ul></div>`,
  ],
  [
    'in a line that says so',
    `<p>This was posted by the quarry on <time datetime=${day}>14 March</time>, at noon.${split}`,
  ],
  [
    'in a sentence about the page',
    `${split}<p>This essay was first printed by the Quarry Gazette, as a letter, on <time datetime=${day}>14 March</time>.`,
  ],
  [
    'in a sentence of its foot',
    `${split}<footer>Filed under slate and tagged with clay and roofs by Bo on <time datetime=${day}>14 March</time>.</footer>`,
  ],
  [
    'in a thread',
    `<div class=comments><div class=comment><time datetime=${day}>then</time>${split}</div></div>`,
    'forum/thread/slate',
  ],
])('the only time of a page is its day: %s', (_, markup, path = 'slate') => {
  const html = `<html lang=en><meta ${article}><h1>Slate</h1>${markup}`;
  expect(extractPage({ html, url: `http://a.example/${path}` }).publishedAt).toBe(day);
});

test.each([
  ['http://a.example/news/20240314/slate', day],
  ['http://a.example/news/2024-03-14.html', day],
  ['http://a.example/news/20241399/slate', null],
  ['http://a.example/2024/mar/14/slate', day],
  ['http://a.example/2024/03/14/slate', day, `<time datetime=${other}></time>`],
  ['http://a.example/news/uk-20180512', day, `<time datetime=${day}></time>`],
  ['http://a.example/article/20150317', day, '<p>Published 14 March 2024'],
  ['http://a.example/story-20191231-x', day, '<p>Published 14 March 2024'],
])('published at the address %s', (url, date, markup = '') => {
  const html = `<meta ${article}><h1>Slate</h1>${markup}<p>It splits.`;
  expect(extractPage({ html, url }).publishedAt).toBe(date);
});

test.each([
  ['docs/split', ''],
  ['docs/18/split', `<meta ${article}>`],
])('a manual at /%s states when it was made from its source', (path, markup) => {
  const html = `${markup}<meta property=article:published_time content=${day}><h1>Split</h1><p>It splits.`;
  expect(extractPage({ html, url: `http://a.example/${path}` }).publishedAt).toBeNull();
});

test.each([
  ['tutorials/split', ''],
  ['docs/split', `${jsonLd({ '@type': 'WebPage', name: 'Split' })}<p>By Jane Roe, March 14, 2024`],
  ['2024/03/docs/split', ''],
])('an article at /%s', (path, markup) => {
  const html = `<meta ${article}><meta property=article:published_time content=${day}T10:00:00Z><h1>Split</h1>${markup}<p>It splits.`;
  expect(extractPage({ html, url: `http://a.example/${path}` }).publishedAt).toBe(`${day}T10:00:00Z`);
});

test.each([
  ['Di Wang', 'Di Wang'],
  ['By Von Miller', 'Von Miller'],
  ['Center for American Progress', 'Center for American Progress'],
  ['Digital Trends Staff', 'Digital Trends Staff'],
  ['Chief Joseph', 'Chief Joseph'],
  ['李 明', '李 明'],
  ['Anna Lee, Senior Reporter', 'Anna Lee'],
  ['https://a.example/anna', null],
])('structured data state %s as author', (stated, name) => {
  const data = { '@type': 'Article', author: { '@type': 'Person', name: stated } };
  const html = `<script type="application/ld+json">${JSON.stringify(data)}</script><article><h1>Slate</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).byline).toBe(name);
});

test('an address like that of a shop makes no page one of goods, whose day would say nothing', () => {
  const publishedOn = (body: string): string | null =>
    extractPage({
      html: `<meta name=publish-date content=2024-03-14><body><h1>Slate</h1><p>Split by hand.</p>${body}`,
      url: 'http://a.example/item?id=12',
    }).publishedAt;
  expect(publishedOn('')).toBe('2024-03-14');
  expect(publishedOn('<p class=price>€ 12.00</p>')).toBeNull();
});

test.each(['TV 2 nyheter', 'France 24 avec AFP', 'Hub 3d', 'Av Flox', 'Di Renjie'])(
  'the name that a page states is whole: %s',
  (name) => {
    const html = `<meta name=author content="${name}"><article><h1>Slate</h1><p>Split by hand.`;
    expect(extractPage({ html, url: 'http://a.example/' }).byline).toBe(name);
  },
);

test.each([
  ['en', 'Updated April 5, 2024 | Published March 14, 2024'],
  ['de', 'Veröffentlicht am 14. März 2024, zuletzt aktualisiert am 5. April 2024'],
  ['nl', 'Gepubliceerd op 14 maart 2024, laatst gewijzigd op 5 april 2024'],
  ['da', 'Publiceret 14. marts 2024. Opdateret 5. april 2024'],
  ['ru', 'Опубликовано: 14 марта 2024. Обновлено: 5 апреля 2024'],
  ['pl', 'Opublikowano: 14 marca 2024, aktualizacja: 5 kwietnia 2024'],
  ['ja', '更新日：2024年4月5日 公開日：2024年3月14日'],
  ['ko', '입력 2024.03.14 10:11 수정 2024.04.05 12:00'],
  ['tr', 'Yayınlanma: 14 Mart 2024 Güncelleme: 5 Nisan 2024'],
])('published and changed in %s: %s', (language, line) => {
  const html = `<html lang=${language}><meta property=og:type content=article><article><h1>Slate</h1><p class=meta>${line}</p><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' })).toMatchObject({
    publishedAt: '2024-03-14',
    modifiedAt: '2024-04-05',
  });
});

test.each([
  ['By Ada Smith, Bo Li and Cy Young', 'Ada Smith, Bo Li, Cy Young'],
  ['By Ada Smith, RN', 'Ada Smith'],
  ['Di tutto</p><p>By Ada Smith', 'Ada Smith'],
  ['Autor: redakcja</p><p>By Ada Smith', 'Ada Smith'],
  ['By Ada Smith, Science Correspondent, and Bo Li', 'Ada Smith, Bo Li'],
  ['By Ada Smith, Senior Reporter, and Bo Li, Deputy Editor', 'Ada Smith, Bo Li'],
  ['Words: Ada Smith. Photographs: Bo Li', 'Ada Smith'],
  ['Text: Ada Smith | Fotos: Bo Li', 'Ada Smith'],
  ['Guest post by Ada Smith', 'Ada Smith'],
  ['Opinion by Ada Smith', 'Ada Smith'],
  ['Words: few', null],
  ['Words: Three Thousand', null],
  ['Text: Normal Large', null],
  ['By Ada Picture', 'Ada Picture'],
  ['By Video Alliance', 'Video Alliance'],
  ['Di Lunedi', null],
  ['Door Heel Nederland', null],
  ['Av alla som splittrar skiffer', null],
  ['Автор: Ада Смирнова', 'Ада Смирнова'],
  ['著者：山田太郎', '山田太郎'],
  ['著者：山田太郎、李明', '山田太郎, 李明'],
  ['取材・文：山田太郎', '山田太郎'],
  ['ライター：山田太郎', '山田太郎'],
  ['文：王小明 摄影：李四', '王小明'],
  ['記者 王小明／台北報導', '王小明'],
  ['記者王小明／台北報導', '王小明'],
  ['记者 王小明 北京报道', '王小明'],
  ['記者会見を開いた', null],
  ['記者会見', null],
  ['记者手记', null],
  ['记者：请问您怎么看？', null],
  ['Author: Ada Smith', 'Ada Smith'],
  ['Autoři: Jan Novák, Petr Svoboda', 'Jan Novák, Petr Svoboda'],
  ['Tác giả: Nguyễn Văn An', 'Nguyễn Văn An'],
  ['Oleh: Budi Santoso', 'Budi Santoso'],
  ['Oleh Ivanov splits slate', null],
  ['Yazar: Ayşe Yılmaz', 'Ayşe Yılmaz'],
  ['Tekst: Kari Nordmann. Foto: Bo Li', 'Kari Nordmann'],
  ['Tekst: Stor Liten', null],
  ['מאת: דוד כהן', 'דוד כהן'],
  ['By Ada Smith 5 March 2024', 'Ada Smith'],
  ['By Ada Smith - 5 March 2024', 'Ada Smith'],
  ['By Ada Smith (5 March 2024)', 'Ada Smith'],
  ['By Ada Smith 2024/03/05', 'Ada Smith'],
  ['By Ada Smith 2024-03-05', 'Ada Smith'],
  ['By Ada Smith Tuesday, March 5, 2024', 'Ada Smith'],
  ['By Ada Smith, Tue 5 Mar 2024', 'Ada Smith'],
  ['By Ada Smith 12:30', 'Ada Smith'],
  ['By Ada Smith 3 hours ago', 'Ada Smith'],
  ['By Mar Garcia 2 min read', 'Mar Garcia'],
  ['文：山田太郎 2024/03/05', '山田太郎'],
  ['Autor: Łukasz Żółkiewski 5 marca 2024', 'Łukasz Żółkiewski'],
  ['Von Ada Schmidt, Dienstag, 5. März 2024', 'Ada Schmidt'],
  [
    "Par Élise D'Amico et Jean-Luc Petit Publié le 5 mars 2024 à 9h30, mis à jour le 1er avril 2024",
    "Élise D'Amico et Jean-Luc Petit",
  ],
  ['By May Chen', 'May Chen'],
  ['By Jennifer Sun 5 March 2024', 'Jennifer Sun'],
  ['By Maria da Silva 5 March 2024', 'Maria da Silva'],
  ['By Channel 4 News', 'Channel 4 News'],
  ['By News 12 staff', 'News 12'],
  ['By Studio 54 and Friends', 'Studio 54, Friends'],
  ['By Ada Smith 3rd', 'Ada Smith 3rd'],
  ['Von Ada Schmidt sind bis 5. Mai 2024 hier im Haus viele Bilder aus Schiefer zu sehen.', null],
])('who has written it: %s', (line, byline) => {
  const html = `<meta property=og:type content=article><article><h1>Slate</h1><p>${line}</p><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).byline).toBe(byline);
});

test.each([
  ['<a rel=author href=/a>Иван Петров</a>', 'Иван Петров'],
  ['<span itemprop=author><span itemprop=name>李明</span></span>', '李明'],
  ['<span class=author>Автор: <b>Иван Петров</b></span>', 'Иван Петров'],
  ['<span class=author>作者：王小明</span>', '王小明'],
  ['<p class=byline>記者：山田太郎</p>', '山田太郎'],
  ['<p class=byline>取材・文／山田太郎</p>', '山田太郎'],
  ['<p class=byline>文／山田太郎　写真／鈴木一郎</p>', '山田太郎'],
  ['<p class=byline>記者</p>', null],
  ['<span class=author>编辑／李明</span>', '李明'],
  ['<span class=author>文太郎</span>', '文太郎'],
  ['<span class=author>AC/DC</span>', 'AC, DC'],
  ['<a class=author href=/author/x>דוד כהן</a>', 'דוד כהן'],
  ['<span class=byline>김철수 기자</span>', '김철수'],
  ['<span class=author>— ·</span>', null],
  ['<span class=author>Автор</span>', null],
  ['<span class=author>Ada Smith, Tuesday, March 5, 2024</span>', 'Ada Smith'],
])('an element names who wrote it: %s', (markup, byline) => {
  const html = `<meta ${article}><article><h1>Slate</h1><div>${markup}</div><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).byline).toBe(byline);
});

test.each([
  ['a site that calls itself the author', '<p>By Ada Smith</p>', 'Ada Smith'],
  ['a site where nobody else is named', '', 'Stone Weekly'],
])('the author of %s', (_, line, byline) => {
  const site = '<meta property=og:site_name content="Stone Weekly"><meta name=author content="Stone Weekly">';
  const html = `${site}<meta ${article}><article><h1>Slate</h1>${line}<p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).byline).toBe(byline);
});

const wroteIt = `<a rel=author class=author href=/p/ada>Ada Smith</a> <time datetime=${day}>then</time>`;
test.each([
  `<p><a rel=author aria-label="See more of Ada Smith" href=/p/ada>Ada Smith</a> <a aria-label="Next days" href=/d><time datetime=${day}>then</time></a></p><p>Split.`,
  `<div class="post-top-meta more-info">${wroteIt}</div><p>Split.`,
  `<div class="post-menu-bar">${wroteIt}</div><p>Split.`,
  `<div class="meta has-comments">${wroteIt}</div><p>Split.`,
  `<p>Split.</p><aside class="article-sidebar">${wroteIt}</aside>`,
  `<div class="wide sidebar-layout"><div>${wroteIt}</div>${'<p>Slate splits along its layers, and so it is split.</p>'.repeat(9)}</div>`,
])('who wrote it, and when, stands below the title: %s', (markup) => {
  const html = `<meta ${article}><article><h1>Slate</h1>${markup}</article>`;
  const { byline, publishedAt } = extractPage({ html, url: 'http://a.example/slate' });
  expect({ byline, publishedAt }).toEqual({ byline: 'Ada Smith', publishedAt: day });
});

test.each([
  ['a work by another', { '@type': 'Person', name: 'Ada Smith' }, '<p>By Mary Shelley</p>', ''],
  ['another post', {}, '', '<article><h2>Clay</h2><a rel=author href=/p/bo>Bo Li</a></article>'],
])('a site with the name of its author tells of %s', (_, thing, line, behind) => {
  const site = '<meta property=og:site_name content="Ada Smith"><meta name=author content="Ada Smith">';
  const html = `${jsonLd(thing)}${site}<meta ${article}><article><h1>Slate</h1>${line}<p>Split.</article>${behind}`;
  expect(extractPage({ html, url: 'http://a.example/' }).byline).toBe('Ada Smith');
});

test.each([
  '<div id=comments><p><a rel=author href=/u/1>Bo Li</a> says so</div>',
  '<section class=related-posts><h3>Clay</h3><span class=author>Bo Li</span></section>',
  '<ol class=comment-list><li><cite class="comment-author">Bo Li</cite></ol>',
])('nobody has written it of whom the page tells elsewhere: %s', (markup) => {
  const html = `<meta ${article}><article><h1>Slate</h1><p>Split.</article>${markup}`;
  expect(extractPage({ html, url: 'http://a.example/' }).byline).toBeNull();
});

test('names are as their readers know them', () => {
  const bylineOf = (head: string) =>
    extractPage({ html: `${head}<article><h1>Slate</h1><p>Split.`, url: 'http://a.example/' }).byline;
  const library = ['Smith, Ada', 'Li, Bo'].map((name) => `<meta name=citation_author content="${name}">`);
  expect(bylineOf(library.join(''))).toBe('Ada Smith, Bo Li');
  expect(bylineOf(jsonLd({ '@type': 'Article', author: 'Ada O&#39;Brien &amp; Bo Li' }))).toBe(
    "Ada O'Brien, Bo Li",
  );
});

test.each([
  ['Doe, Jane', 'Jane Doe'],
  ['van der Berg, Jan', 'Jan van der Berg'],
  ['Jane Doe, MD', 'Jane Doe'],
  ['Jane Doe, PhD', 'Jane Doe'],
  ['Martin King, Jr.', 'Martin King, Jr'],
  ['Jane Doe, John Roe', 'Jane Doe, John Roe'],
  ['World Health Organization, Geneva', 'World Health Organization, Geneva'],
])('a library names %s', (content, byline) => {
  const html = `<meta name=citation_author content="${content}"><h1>Slate</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).byline).toBe(byline);
});

test.each(['[/a ', '{"a":"a\n', '{"a":"', `["'`])('JSON-LD with faults is mended in bounds: %j', (part) => {
  const block = (size: number) =>
    `${'/* of the page */'.padEnd(size)}{'@type': 'Article', 'author': 'Ada Smith'}`;
  const script = (text: string) => `<script type="application/ld+json">${text}</script>`;
  const bylineOf = (...blocks: string[]) =>
    extractPage({ html: `${blocks.map(script).join('')}<h1>Slate</h1><p>Split.`, url: 'http://a.example/' })
      .byline;
  const bad = (part[0] as string) + part.slice(1).repeat(20_000).slice(0, 19_900);
  expect(bylineOf(bad, block(19_000))).toBe('Ada Smith');
  expect(bylineOf(block(20_000))).toBeNull();
  expect(bylineOf(bad, bad, block(1_000))).toBeNull();
  expect(bylineOf(bad.repeat(2), block(1_000))).toBe('Ada Smith');
});

test.each([
  ['a value with its type', { '@type': 'Article', datePublished: { '@type': 'Date', '@value': day } }, day],
  ['a list', { '@type': 'Article', datePublished: [day, other] }, day],
  ['seconds', { '@type': 'Article', datePublished: 1_710_410_400 }, `${day}T10:00:00Z`],
  ['names with a prefix', { '@type': 'schema:Article', 'schema:datePublished': day }, day],
  [
    'names in full',
    { '@type': 'https://schema.org/Article', 'https://schema.org/datePublished': { '@value': day } },
    day,
  ],
])('JSON-LD states a day as %s', (_, data, date) => {
  const html = `${jsonLd(data)}<article><h1>Slate</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).publishedAt).toBe(date);
});

test('JSON-LD with a comma too many, comments and single quotes is read', () => {
  const json = `/* of the page */ {'@type': "Article", "datePublished": "2024-03-14", "author": "Ada Smith",}`;
  const html = `<script type="application/ld+json">${json}</script><article><h1>Slate</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' })).toMatchObject({
    publishedAt: '2024-03-14',
    byline: 'Ada Smith',
  });
});

test.each([
  ['events/spring', '<p class=when>Saturday, 12 December 2026, 8pm</p>'],
  ['events/x', '<p>Starts <time datetime="2026-05-12T20:00">12 May</time></p>'],
  ['jobs/mason', '<p>Closing date: 1 March 2026</p>'],
  ['films/slate', '<p>Release date: 14 July 1995</p>'],
  ['people/ada', '<p>Born 14 July 1995</p>'],
  ['privacy-policy', '<p>Effective date: 25 May 2018</p>'],
  ['grants/x', '<p>Application deadline</p><p>12 May 2026</p>'],
  ['visit', '<p>By Bus</p>'],
  ['visit', '<p>Von Montag bis Freitag</p>'],
])('a page in one article is not published on any day of it, nor by anybody: %s, %s', (path, line) => {
  const html = `<main><article><h1>Slate</h1>${line}<p>Split.</p></article></main>`;
  expect(extractPage({ html, url: `http://a.example/${path}` })).toMatchObject({
    publishedAt: null,
    byline: null,
  });
});

test.each([
  ['about', '<meta name=dcterms.issued content=2024-03-14>'],
  ['dataset/x', '<meta name=citation_publication_date content=2024-03-14>'],
])('what is no article has no day by such a name: %s', (path, meta) => {
  const html = `${meta}<h1>Slate</h1><p>Split.`;
  expect(extractPage({ html, url: `http://a.example/${path}` }).publishedAt).toBeNull();
});

test.each([
  ['Updated date: April 5, 2024', 'March 14, 2024'],
  ['Updated: April 5, 2024 (see candidate list)', 'March 14, 2024'],
])('the date of a change is none of publication: %s', (changed, line) => {
  const html = `<meta property=og:type content=article><article><h1>Slate</h1><p>${changed}</p><p>${line}</p><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).publishedAt).toBe('2024-03-14');
});

test.each([
  'How slate is split ⋆ Stone Weekly',
  'Stone Weekly › How slate is split',
  '[Stone Weekly] How slate is split',
  'How slate is split (Stone Weekly)',
  'How slate is split｜Stone Weekly',
  'How slate is split @ Stone Weekly',
  'How slate is split—Stone Weekly',
  'How slate is split. Stone Weekly',
  'How slate is split, Author at Stone Weekly',
  '(3) How slate is split - Stone Weekly',
  '(99+) How slate is split - Stone Weekly',
])('the title without the name of its site: %s', (title) => {
  const html = `<title>${title}</title><meta property=og:site_name content="Stone Weekly"><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/slate' }).title).toBe('How slate is split');
});

test.each([
  ['Slate—A History', 'Stone Weekly'],
  ['Is it wet? No', 'Stone Weekly'],
  ['Mac → Windows', 'Windows Central'],
  ['Migrating from Python → JavaScript', 'JavaScript Weekly'],
  ['Dinner @ London', 'London Eats'],
])('words of a title behind an arrow are no name of its site: %s', (title, site) => {
  const head = `<title>${title} | ${site}</title><meta property=og:site_name content="${site}">`;
  const graph = `<meta property=og:title content="${title}">`;
  for (const html of [`${head}<p>Split.`, `${head}${graph}<h1>${title}</h1><p>Split.`])
    expect(extractPage({ html, url: 'http://a.example/slate' }).title).toBe(title);
});

test('a number in brackets that the heading has too is part of the title', () => {
  const html = '<title>(500) Days of Slate - Films</title><h1>(500) Days of Slate</h1><p>Split.';
  expect(extractPage({ html, url: 'http://films.example/slate' }).title).toBe('(500) Days of Slate');
});

test('a large number in brackets is part of a title', () => {
  const html = '<title>(300) Sorts of Slate (2019)</title><p>Split.';
  expect(extractPage({ html, url: 'http://films.example/slate' }).title).toBe('(300) Sorts of Slate (2019)');
});

test('a mark without spaces sets the name of a site apart where words are written without them', () => {
  const titleOf = (title: string, site: string) =>
    extractPage({
      html: `<title>${title}</title><meta property=og:site_name content="${site}"><p>x`,
      url: 'http://a.example/slate',
    }).title;
  expect(titleOf('石板怎么劈开_石头周刊', '石头周刊')).toBe('石板怎么劈开');
  expect(titleOf('石板怎么劈开-石头周刊', '石头周刊')).toBe('石板怎么劈开');
  expect(titleOf('All of the Stone-Weekly', 'Weekly')).toBe('All of the Stone-Weekly');
});

test.each([
  ['Stone Weekly » Science » How slate is split', 'How slate is split', 'How slate is split'],
  ['roofs - How is slate split? - Stone Exchange', 'How is slate split?', 'How is slate split?'],
  ['Stone Weekly', 'How slate is split', 'How slate is split'],
  ['Untitled', 'How slate is split', 'How slate is split'],
  ['Untitled Document', 'How slate is split', 'How slate is split'],
  ['Untitled', '', 'Untitled'],
  ['Guide: How slate is split', 'How slate is split', 'Guide: How slate is split'],
  ['How slate is split | Workshop Letters | Acme', 'Workshop Letters', 'How slate is split'],
  ['RFC 9110 - HTTP Semantics - IETF', 'HTTP Semantics', 'RFC 9110 - HTTP Semantics - IETF'],
  ['About - Letters of a mason', 'Letters of a mason', 'About - Letters of a mason'],
  ['Stone Weekly - Letters of a mason', 'Letters of a mason', 'Letters of a mason'],
  ['Roofs - Tiles', 'Tiles', 'Roofs - Tiles'],
  ['Slate - Tools and how they are kept', 'Tools', 'Slate - Tools and how they are kept'],
])('of the title %s and the heading %s', (title, heading, found) => {
  const html = `<title>${title}</title><h1>${heading}</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://stone-weekly.example/science/17' }).title).toBe(found);
});

test.each([
  ['石板怎么劈开_石头周刊', '<h1>石板怎么劈开</h1>', '石板怎么劈开'],
  ['石板怎么劈开？_国内_石头周刊', '<h1>石板怎么劈开？</h1>', '石板怎么劈开？'],
  ['石头周刊_石板怎么劈开', '<h1>石头周刊</h1>', '石头周刊_石板怎么劈开'],
  ['斗破苍穹_第一章 陨落的天才', '<h1>斗破苍穹</h1>', '斗破苍穹_第一章 陨落的天才'],
  ['斗破苍穹_玄幻_第一章 陨落的天才', '<h1>斗破苍穹</h1>', '斗破苍穹_玄幻_第一章 陨落的天才'],
  ['石板怎么劈开-石头周刊', '<h1>石板怎么劈开</h1>', '石板怎么劈开'],
  ['スレートの割り方-石の週刊', '<h1>スレートの割り方</h1>', 'スレートの割り方'],
  ['劈石板的方法-从选料到成品的完整教程', '<h1>劈石板的方法</h1>', '劈石板的方法-从选料到成品的完整教程'],
  ['All of the Stone-Age', '<h1>All of the Stone</h1>', 'All of the Stone-Age'],
  [
    'Mason & Sons - Slate Hammer',
    '<h1>Slate Hammer</h1><h2>Mason & Sons</h2>',
    'Mason & Sons - Slate Hammer',
  ],
  ['Ada Smith » Splitting', '<h1>Splitting</h1><h2>Ada Smith</h2>', 'Splitting'],
  ['Old Yard - Contact us', '<h2>Old Yard</h2><h1>Contact us</h1>', 'Old Yard - Contact us'],
  ['Stone Weekly - Contact us', '<h1>Contact us</h1><h2>Stone Weekly</h2>', 'Contact us'],
  ['Slate: A history', '<h1>A history</h1><h2>Slate</h2>', 'Slate: A history'],
])('the title %s of a page with the headings %s', (title, headings, found) => {
  const html = `<title>${title}</title>${headings}<p>Split.`;
  expect(extractPage({ html, url: 'http://stone-weekly.example/science/17' }).title).toBe(found);
});

test.each([
  ['Mason Works - Slate Hammer', '<h1>Slate Hammer</h1><h2>Mason Works</h2>', 'Slate Hammer'],
  ['Ada Smith | Slate Hammer', '<h1>Slate Hammer</h1><h2>Ada Smith</h2>', 'Slate Hammer'],
])('the title %s of a page of a thing by its maker is the thing', (title, headings, found) => {
  const html = `<title>${title}</title>${headings}<p>Split.`;
  expect(extractPage({ html, url: 'http://shop.example/products/slate-hammer' }).title).toBe(found);
});

test.each(['', 'en/', 'index.html'])('the front page /%s has the name of its site', (path) => {
  for (const title of ['Stone Weekly', 'Stone Weekly: Tools – All about stone – Home']) {
    const html = `<title>${title}</title><h1>All about stone</h1><p>Split.`;
    const found = extractPage({ html, url: `http://stone-weekly.example/${path}` }).title;
    expect(found).not.toBe('All about stone');
  }
});

test.each([
  ['<p><b>Date:</b> Saturday, July 12, 2025<p><b>Time:</b> 7:30 pm<p><b>Venue:</b> City Hall', null],
  ['<dl><dt>Date<dd>July 12, 2025<dt>Location<dd>City Hall<dt>Price<dd>$25</dl>', null],
  ['<p><b>Date:</b> July 12, 2025<p><b>Time:</b> 10:32<p><b>Author:</b> Ada Smith', '2025-07-12'],
  ['<p>Date: July 12, 2025<p>Place names of the quarry', '2025-07-12'],
  ['<p>July 12, 2025<p>Time: 7:30 pm<p>Venue: City Hall', '2025-07-12'],
])('a day beside what tells of an event is that of the event: %s', (lines, date) => {
  const html = `<meta property=og:type content=article><article><h1>Slate</h1><div>${lines}</div><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/slate' }).publishedAt).toBe(date);
});

test('a job offer at an address of articles tells its day as datePosted', () => {
  const html = `${jsonLd({ '@type': 'JobPosting', title: 'Mason', datePosted: day })}<main><h1>Mason</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/blog/mason' }).publishedAt).toBe(day);
});

test('a job offer tells its day as datePosted', () => {
  const stated = JSON.stringify({ '@type': 'JobPosting', title: 'Slater', datePosted: '2024-03-14' });
  const html = `<html lang=en><script type="application/ld+json">${stated}</script><h1>Slater</h1><p>We look for one.</p>`;
  expect(extractPage({ html, url: 'http://a.example/jobs/slater' }).publishedAt).toBe('2024-03-14');
});

test('title and canonical URL are those of the page itself, as its server or its markup tells them', () => {
  const url = 'http://a.example/?id=1';
  const thing = (path: string, datePublished: string) =>
    JSON.stringify({ '@type': 'Article', headline: path, url: `http://a.example/${path}`, datePublished });
  const html = (link: string) => `
    <template><title>Chisels</title><link rel=canonical href=/chisels></template>
    <title>Slate</title>${link}
    <script type="application/ld+json">[${thing('chisels', '2020-01-01')}, ${thing('slate', '2021-02-20')}]</script>
    <article><p>Split.`;
  const marked = extractPage({ html: html('<link rel=canonical href=/slate>'), url });
  expect(marked).toMatchObject({ title: 'Slate', publishedAt: '2021-02-20' });
  const headers = { link: '<http://a.example/slate>; rel=canonical' };
  const head = readHead(html(''), { url, headers, charset: null });
  expect(extractPage({ html: html(''), url, head }).publishedAt).toBe('2021-02-20');
  expect(extractPage({ html: html(''), url }).publishedAt).toBe('2020-01-01');
});
