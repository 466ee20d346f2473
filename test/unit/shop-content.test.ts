import { describe, expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

const menu = `<nav><ul>${Array.from({ length: 40 }, (_, i) => `<li><a href="/c${i}">Department ${i}</a></li>`).join('')}</ul></nav>`;
const foot =
  '<footer><h4>Newsletter</h4><p>Sign up for our newsletter and get 10% off your first order.</p><p>© 2026 Slate &amp; Sons. All rights reserved.</p></footer>';
const card = (name: string, price: string, more = ''): string =>
  `<li class="card"><a href="/products/${name.toLowerCase().replaceAll(' ', '-')}"><img src="/p.jpg" alt=""><h3 class="card__title">${name}</h3></a><span class="price">${price}</span>${more}<button>Add to cart</button></li>`;
const page = (title: string, body: string, head = ''): string =>
  `<!doctype html><html lang="en"><head><title>${title} | Slate &amp; Sons</title>${head}</head><body><header><a href="/">Slate &amp; Sons</a><a href="/cart">Cart (0)</a></header>${menu}<main>${body}</main>${foot}</body></html>`;

const description = [
  'The Ridge chisel is forged in one piece from tool steel and ground by hand, so that its edge enters the bed of the slate without bruising the sheet on either side of it.',
  'It is made for blocks of up to forty centimetres. A wide head takes the mallet without mushrooming, and the octagonal shaft does not turn in a wet glove.',
];
const specifications = [
  ['Width of the edge', '75 mm'],
  ['Length', '210 mm'],
  ['Weight', '640 g'],
  ['Steel', '1.2826, hardened to 56 HRC'],
];

describe('a page that sells one thing', () => {
  const body = `<ol class="breadcrumb"><li><a href="/">Home</a></li><li><a href="/tools">Tools</a></li><li>Ridge chisel</li></ol>
    <div class="product"><div class="product__media"><img src="/ridge.jpg" alt="Ridge chisel"></div><div class="product__info"><h1>Ridge slate chisel, 75 mm</h1><div class="price">€ 84.00</div>
    <form action="/cart"><label>Quantity</label><input name="qty"><button>Add to cart</button></form>
    <div class="tabs"><ul role="tablist"><li><a href="#d" role="tab">Description</a></li><li><a href="#s" role="tab">Specifications</a></li></ul>
    <div id="d" class="tab-pane" role="tabpanel">${description.map((one) => `<p>${one}</p>`).join('')}<ul><li>Forged in one piece</li><li>Ground and honed by hand</li><li>Comes with a leather cap for its edge</li></ul></div>
    <div id="s" class="tab-pane" role="tabpanel" style="display:none"><h2>Specifications</h2><table>${specifications.map(([name, value]) => `<tr><th>${name}</th><td>${value}</td></tr>`).join('')}</table></div></div></div></div>
    <section class="reviews"><h2>Customer reviews</h2><div class="review"><b>Bernd</b><p>Bought it last winter and it has not seen the grindstone since, would buy again.</p></div><div class="review"><b>Mossy</b><p>A little heavy for a whole day, but the edge is the best I have had so far.</p></div></section>
    <section class="related"><h2>You may also like</h2><ul class="grid">${card('Ridge mallet', '€ 42.00')}${card('Slate hammer', '€ 61.00')}${card('Leather apron', '€ 95.00')}${card('Wedge set', '€ 33.00')}</ul></section>`;
  const facts = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: 'Ridge slate chisel, 75 mm',
    description: description.join(' '),
    offers: { '@type': 'Offer', price: '84.00', priceCurrency: 'EUR' },
  };
  const html = page(
    'Ridge slate chisel',
    body,
    `<script type="application/ld+json">${JSON.stringify(facts)}</script>`,
  );
  const { text } = extractPage({ html, url: 'https://slate.example/products/ridge-chisel' });

  test('has its description, its features and its specifications, those behind a tab too', () => {
    for (const part of [...description, 'Comes with a leather cap', ...specifications.flat()])
      expect(text).toContain(part);
  });

  test('has no menu, no review, no related product and no newsletter', () => {
    for (const part of [
      'Department 3',
      'Bought it last winter',
      'Slate hammer',
      'Leather apron',
      '10% off',
      'All rights reserved',
    ])
      expect(text).not.toContain(part);
  });
});

describe('a page that lists what is for sale', () => {
  const names = [
    'Ridge chisel',
    'Bed chisel',
    'Edge chisel',
    'Corner chisel',
    'Wide chisel',
    'Narrow chisel',
    'Roofing chisel',
    'Paving chisel',
  ];
  const intro =
    'A chisel for slate is broader and thinner than one for granite: it has to follow the bed of the stone and not to break it. Here are those that we forge ourselves, from the narrow one for corners to the wide one for blocks.';
  const outro =
    'Grind the edge at an angle of thirty degrees and keep it away from the wheel once it turns blue. A chisel that is honed after each day of work lasts for ten years and more.';
  const body = `<h1>Slate chisels</h1><p class="category-description">${intro}</p><div class="toolbar"><select><option>Sort by price</select> <span>8 products</span></div><aside class="filters"><h4>Filter by</h4><ul><li><a href="?w=1">Width</a></li><li><a href="?b=1">Brand</a></li></ul></aside>
    <ul class="product-grid">${names.map((name, i) => card(name, `€ ${60 + i * 4}.00`, `<p>Forged in one piece, ${40 + i * 5} mm wide, with a leather cap.</p>`)).join('')}</ul>
    <div class="seo-text"><h2>How to keep a chisel sharp</h2><p>${outro}</p></div>`;
  const { text } = extractPage({
    html: page('Slate chisels', body),
    url: 'https://slate.example/collections/chisels',
  });

  test('has what introduces it, its items and what follows', () => {
    for (const part of [intro, outro, ...names]) expect(text).toContain(part);
  });

  test('has no menu, no filter and no newsletter', () => {
    for (const part of ['Department 3', 'Filter by', '10% off', 'All rights reserved'])
      expect(text).not.toContain(part);
  });
});
