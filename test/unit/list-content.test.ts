import { describe, expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

const names =
  'Oak bench,Brass lantern,Wool blanket,Slate board,Copper kettle,Linen apron,Ash stool,Iron trivet';
const things = names.split(',');
const menu = `<header><nav><ul>${['Home', 'Shop', 'Journal', 'Contact', 'Sign in'].map((one) => `<li><a href="/${one}">${one}</a></li>`).join('')}</ul></nav></header>`;
const foot =
  '<footer><h4>Newsletter</h4><p>Sign up and hear of new work.</p><p>© 2026 Slate &amp; Sons. All rights reserved.</p></footer>';
const textOf = (url: string, title: string, body: string, of = ''): string =>
  extractPage({
    html: `<!doctype html><html lang="en"><head><title>${title}</title></head><body class="${of}">${body}</body></html>`,
    url,
  }).text;

describe('a page that lists links', () => {
  const row = (one: string, i: number): string =>
    `<tr class="entry" id="e${i}"><td class="title"><span class="rank">${i + 1}.</span></td><td><a href="vote"></a></td><td class="title"><a href="https://s${i}.example/">A new ${one.toLowerCase()} from old parts</a> (<a href="from">s${i}.example</a>)</td></tr>
    <tr><td colspan="2"></td><td class="subtext"><span>${i * 7 + 3} points</span> by <a>mossy${i}</a> <a>${i + 1} hours ago</a> | <a>hide</a> | <a>${i + 9} comments</a></td></tr><tr class="spacer"></tr>`;

  test('has those of a table of headlines, with their points', () => {
    const text = textOf(
      'https://board.example/news',
      'Board',
      `<center><table><tr><td><table><tr><td><b><a href="news">Board</a></b> <a href="new">new</a> | <a href="past">past</a> | <a href="ask">ask</a></td><td><a href="login">login</a></td></tr></table></td></tr>
      <tr><td><table>${[...things, ...things].map(row).join('')}<tr><td></td><td><a href="?p=2">More</a></td></tr></table></td></tr><tr><td>Guidelines | FAQ | Lists | API | Security | Legal</td></tr></table></center>`,
    );
    for (const [i, one] of things.entries()) {
      expect(text).toContain(`A new ${one.toLowerCase()} from old parts (s${i}.example)`);
      expect(text).toContain(`${i * 7 + 3} points by mossy${i}`);
    }
  });
});

describe('a page of cards', () => {
  const card = (one: string, i: number): string =>
    `<li class="grid__item"><a href="/products/p${i}"><img src="/p${i}.jpg" alt=""><h3>${one}</h3></a><div class="price">€${(i + 1) * 13}.00</div><button>Quick add</button></li>`;

  test.each([
    ['https://nord.example/collections/furniture', 'template-collection', 'grid product-grid'],
    ['https://shop.example/product-category/lanterns/', 'archive tax-product_cat woocommerce', 'products'],
  ])('has the prices of what is sold, and not its buttons: %s', (url, of, grid) => {
    const body = `${menu}<main><h1>Furniture</h1><p>Made by hand, one at a time, and sent in a box of straw.</p><ul class="${grid}">${things.map(card).join('')}</ul><nav><a>1</a><a>2</a></nav></main>${foot}`;
    const text = textOf(url, 'Furniture', body, of);
    for (const [i, one] of things.entries()) {
      expect(text).toContain(one);
      expect(text).toContain(`€${(i + 1) * 13}.00`);
    }
    expect(text).not.toContain('Quick add');
  });

  test('has what each plan includes', () => {
    const about = [
      'For a workshop of one that fires now and then.',
      'For a few people who share their kilns and their hours.',
      'For schools and factories, with somebody to call at night.',
    ];
    const plans = about.map(
      (one, i) =>
        `<div class="rounded-3xl p-8"><h3>Plan ${i + 1}</h3><p class="mt-4">${one}</p><p class="mt-6"><span>$${i * 20 + 9}</span><span>/month</span></p><a href="#" class="mt-6 block">Buy plan</a><ul class="mt-8"><li>${i + 1} kilns</li><li>${(i + 1) * 10} users</li><li>Email support</li></ul></div>`,
    );
    const text = textOf(
      'https://kilns.example/pricing',
      'Pricing',
      `${menu}<main><h1>Pricing</h1><p>Volunteers fire more than three thousand pots a year with it.</p><div class="grid grid-cols-3">${plans.join('')}</div></main>${foot}`,
    );
    for (const one of [...about, '$29', '3 kilns', '20 users']) expect(text).toContain(one);
  });

  test.each(['price', 'amount'])(
    'has what the plans of a service cost, whatever that is called: %s',
    (name) => {
      const plans = ['Bronze', 'Silver', 'Gold'].map(
        (one, i) =>
          `<div class="pricing-card"><h3>${one}</h3><div class="${name}">$${i * 20 + 9}</div><p>We sweep your kiln ${i + 1} times a year, and tell you what we have found in it.</p><a href="#" class=button>Book</a></div>`,
      );
      const text = textOf(
        'https://kilns.example/services/sweeping',
        'Sweeping',
        `${menu}<main><h1>Sweeping</h1><p>We have swept kilns for thirty years, in all of the valley and beyond it.</p><div class="cards">${plans.join('')}</div></main>${foot}`,
      );
      for (const one of ['Bronze', '$9', '$29', '$49']) expect(text).toContain(one);
    },
  );

  test('keeps links that say the same in each: they may be its heading, or what a column says', () => {
    const notes = things.map(
      (one, i) =>
        `<section><h2>Version 1.${i}</h2><h3><a href="#f${i}">Fixes</a></h3><ul><li>The ${one.toLowerCase()} is drawn where it stands, and not beside it any more.</li></ul></section>`,
    );
    const text = textOf(
      'https://kilns.example/changelog',
      'Changes',
      `<main><h1>Changes</h1>${notes.join('')}</main>`,
    );
    expect(text.match(/Fixes/g)).toHaveLength(things.length);
  });
});
