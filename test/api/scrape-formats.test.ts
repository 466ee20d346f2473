import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const scrape = (path: string, options: Record<string, unknown> = {}) =>
  call(scrapePath, { body: { url: site.origin + path, render: 'http', ...options } });

describe('the encoding is the one that a browser would settle on', () => {
  test.each([
    ['/encoding/shift-jis', 'shift_jis', '石切り場の歴史'],
    ['/encoding/gbk', /^gb(k|18030)$/, '采石场的历史'],
    ['/encoding/windows-1251', 'windows-1251', 'История карьера'],
    ['/encoding/windows-1251-header', 'windows-1251', 'История карьера'],
    ['/encoding/latin-1', 'windows-1252', 'Café'],
    ['/encoding/utf-8', 'utf-8', 'Grüße'],
    ['/encoding/utf-8-meta-utf-16', 'utf-8', 'Grüße'],
    ['/encoding/utf-16le-bom', 'utf-16le', 'Γεια σου'],
    ['/encoding/utf-16be-bom', 'utf-16be', 'Γεια σου'],
    ['/encoding/bom-against-header', 'utf-8', 'Grüße'],
    ['/encoding/meta-late', 'koi8-r', 'Привет'],
  ])('%s', async (path, charset, title) => {
    const { body } = await scrape(path);
    expect(body['data'].title).toBe(title);
    expect(body['data'].charset).toMatch(charset);
  });

  test('NUL and invalid bytes become replacement characters', async () => {
    const { body } = await scrape('/encoding/nul-and-invalid', { formats: ['html', 'text'] });
    expect(body['data'].html).toContain('before \ufffd\ufffd\ufffd after\ufffd');
    expect(JSON.stringify(body)).not.toContain('\\u0000');
  });

  test('XML by its own declaration, JSON as UTF-8', async () => {
    expect((await scrape('/encoding/rss')).body['data'].html).toContain('Карьер');
    expect((await scrape('/encoding/json')).body['data'].html).toBe('{"city":"Zürich"}');
  });

  test('a picture that is called text is unsupported_content', async () => {
    expect((await scrape('/encoding/binary-as-text')).body).toMatchObject({ code: 'unsupported_content' });
  });
});

describe('the parts of a page', () => {
  test('text is what a reader sees, one block a line', async () => {
    const { body } = await scrape('/parts', { formats: ['text'] });
    expect(body['data'].html).toBeNull();
    expect(body['data'].text.split('\n')).toEqual([
      'Slate & stone',
      'First line',
      'second line',
      'one',
      'two',
      'a',
      'b',
      'One Again Mail Script None Elsewhere',
      'A\tB',
    ]);
  });

  test('links are absolute, each once, with text and rel', async () => {
    const { body } = await scrape('/parts', { formats: ['links'] });
    expect(body['data'].links).toEqual([
      { url: `${site.origin}/parts/one`, anchor: 'One', rel: 'nofollow noopener' },
      { url: `${site.origin}/two?x=1`, anchor: 'Two', rel: '' },
      { url: 'https://example.com/', anchor: 'Elsewhere', rel: '' },
    ]);
  });

  test('elements are picked by selectors, with an attribute where one is asked', async () => {
    const { body } = await scrape('/parts', {
      elements: [{ selector: 'td.cell', attr: 'data-n' }, { selector: 'h1' }, { selector: 'video' }],
    });
    const [cells, heading, none] = body['data'].elements;
    expect(cells).toMatchObject({ selector: 'td.cell', attr: 'data-n', count: 2 });
    expect(cells.matches).toEqual([
      {
        text: 'A',
        html: '<td class="cell" data-n="1">A</td>',
        attributes: { class: 'cell', 'data-n': '1' },
        value: '1',
      },
      { text: 'B', html: '<td class="cell">B</td>', attributes: { class: 'cell' }, value: null },
    ]);
    expect(heading.matches[0]).toMatchObject({ text: 'Slate & stone', value: null });
    expect(none).toMatchObject({ count: 0, matches: [] });
  });

  test('the names of attributes are those of the element, whatever else an object has', async () => {
    const { body } = await scrape('/parts', {
      elements: ['viewBox', 'VIEWBOX', 'constructor', '__proto__'].map((attr) => ({ selector: 'svg', attr })),
    });
    const values = body['data'].elements.map(
      (one: { matches: { value: unknown }[] }) => one.matches[0]?.value,
    );
    expect(values).toEqual(['0 0 1 1', null, null, null]);
  });

  test('a selector that is none is invalid_request, before the target is asked', async () => {
    const before = site.hits('/parts');
    const { body } = await scrape('/parts', { elements: [{ selector: 'h1' }, { selector: 'td[' }] });
    expect(body).toMatchObject({ status: 400, code: 'invalid_request' });
    expect(body['errors'][0].path).toBe('elements.1.selector');
    expect(site.hits('/parts')).toBe(before);
  });

  test('nesting without end does not matter', async () => {
    const { body } = await scrape('/deep', { formats: ['text', 'links'], elements: [{ selector: '#x' }] });
    expect(body['data'].elements[0].matches[0].text).toBe('bottom');
  });
});

test('what components draw is in the HTML, text and links of a page that was rendered', async () => {
  const elements = [{ selector: '.price' }, { selector: 'shop-item b' }];
  const options = { render: 'browser', formats: ['html', 'text', 'links'], elements };
  const { data } = (await scrape('/components', options)).body;
  expect(data.html).toMatch(/^<!DOCTYPE html>\n<html lang="en" data-a="1 &gt; 0"><head>/);
  expect(data.html).toContain(
    '<shop-item><template shadowrootmode="open"><h2><slot name="name"></slot></h2><a href="/buy">Buy</a><price-tag><template shadowrootmode="open"><style>b{color:red}</style><b class="price">12 francs</b></template></price-tag></template><b slot="name">Slate</b></shop-item>',
  );
  expect(data.html).toMatch(/<\/body><\/html>$/);
  expect(data.html).not.toContain('<p>Sealed</p></template>');
  expect(data.text.split('\n')).toEqual(['Buy12 francsSlate', 'After']);
  expect(data.links).toMatchObject([{ url: `${site.origin}/buy`, anchor: 'Buy' }]);
  // A selector ends at a shadow tree, as in the browser.
  expect(data.elements.map((one: { count: number }) => one.count)).toEqual([0, 1]);
});

test('a page without a title has none, whichever way it is read', async () => {
  site.serve('/untitled', '<h1>Slate</h1>');
  for (const render of ['http', 'browser'])
    expect((await scrape('/untitled', { render })).body['data'].title, render).toBeNull();
});

test('what a browser hides is in neither its text nor that over HTTP; what a reader may open is in both', async () => {
  site.serve(
    '/hides',
    `<title>Hides</title><h1>Slate</h1><p hidden>no<p>One<div style="display:none">no <b>nor</b></div>
    <dialog>no</dialog><dialog open>Two</dialog><details><summary>More</summary><p>Three</p></details>
    <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby><video>no</video><canvas>no</canvas>
    <datalist><option>no</datalist><select><option>Four<option>Five</select><div popover>no</div>
    <p hidden="until-found">Six</p><p style="visibility:hidden">no</p><noscript>no</noscript>`,
  );
  const [plain, rendered] = await Promise.all(
    ['http', 'browser'].map(async (render) => (await scrape('/hides', { render, formats: ['text'] })).body),
  );
  expect(plain?.['data'].text.split('\n')).toEqual([
    'Slate',
    'One',
    'Two',
    'More',
    'Three',
    '漢kan',
    'Four',
    'Five',
    'Six',
  ]);
  expect(rendered?.['data']).toMatchObject({ engine: 'browser', text: plain?.['data'].text });
});

describe('documents that are no page', () => {
  test.each(['/report.pdf', '/report-download'])('%s: its text', async (path) => {
    const { body } = await scrape(path);
    expect(body['data']).toMatchObject({ html: null, title: 'Yearly report', charset: null, metadata: null });
    expect(body['data'].text).toMatch(/never sawn\.[^]*closed in 1911/);
    expect(body['meta'].warnings).toMatchObject([{ code: 'pdf' }]);
  });

  test('a PDF of pictures alone has no text, and a warning says so', async () => {
    const { body } = await scrape('/scan.pdf');
    expect(body['data']).toMatchObject({ html: null, text: '' });
    expect(body['meta'].warnings).toMatchObject([{ code: 'pdf' }, { code: 'pdf_without_text' }]);
  });

  test.each(['/broken.pdf', '/image.png', '/archive.zip'])('%s: unsupported_content', async (path) => {
    expect((await scrape(path)).body).toMatchObject({ status: 422, code: 'unsupported_content' });
  });

  test('a body that ends before its length is a truncated result', async () => {
    const { body } = await scrape('/lying-length');
    expect(body['data']).toMatchObject({ truncated: true, title: 'Cut' });
  });
});

describe('what stands in place of the page is said', () => {
  test.each([
    ['/wall/cloudflare', { vendor: 'cloudflare' }],
    ['/wall/datadome', { vendor: 'datadome' }],
    ['/wall/datadome-frame', { vendor: 'datadome' }],
    ['/wall/datadome-script', { vendor: 'datadome' }],
    ['/wall/aws-waf', { vendor: 'aws-waf' }],
    ['/wall/imperva', { vendor: 'imperva' }],
    ['/wall/anubis', { vendor: 'anubis' }],
    ['/wall/imperva-script', { vendor: 'imperva' }],
    ['/wall/cloudflare-denied', { vendor: 'cloudflare' }],
    ['/wall/article', null],
    ['/wall/question', null],
    ['/wall/customer', null],
    ['/wall/origin-down', null],
    ['/wall/support', null],
    ['/wall/own-login', null],
    ['/article', null],
  ])('%s', async (path, blocked) => {
    const { status, body } = await scrape(path);
    expect(status).toBe(200);
    expect(body['data'].blocked).toEqual(blocked);
  });

  test('an app whose script fails is what it has for those without scripts, and its hidden form asks for nothing', async () => {
    const story = 'The block has to be wet when it is split, and it dries within days. '.repeat(5);
    const form = (style: string, second = '') =>
      `<form ${style}><input name=user><div ${second}><input type=password name=p></div></form>`;
    const app = '<div id=app></div><script src="/app-that-fails.js" type=module></script>';
    const noscript = `<noscript><p>${story}<a href="/next">Next</a></noscript>`;
    const read = async (html: string) => {
      site.serve('/failed-app', `<title>Forum</title>${html}`);
      const asked = { render: 'browser', formats: ['text', 'links'] };
      const { data, meta } = (await scrape('/failed-app', asked)).body as Record<string, any>;
      return { text: data.text, links: data.links.length, codes: meta.warnings.map((one: any) => one.code) };
    };
    expect(await read(app + noscript + form('style="display: none;"'))).toEqual({
      text: `${story}Next`,
      links: 1,
      codes: [],
    });
    expect(await read(app + form('hidden'))).toEqual({ text: '', links: 0, codes: [] });
    const loose = '<input type=search><input><div hidden><input><input type=password></div>';
    expect(await read(app + loose)).toMatchObject({ codes: [] });
    expect(await read(`<p>Forum</p>${form('', 'style="display:none"')}`)).toEqual({
      text: 'Forum',
      links: 0,
      codes: ['login_wall'],
    });
    expect(await read(`<p>Forum</p>${noscript}${form('')}`)).toEqual({
      text: 'Forum',
      links: 0,
      codes: ['login_wall'],
    });
  });

  test.each([
    ['/wall/private', ['login_wall']],
    ['/wall/login', ['login_wall']],
    ['/basic-auth', ['login_wall']],
    ['/wall/parked', ['parked_domain']],
    ['/wall/register', []],
    ['/wall/moved-docs', []],
    ['/wall/about-parking', []],
    ['/wall/villa', []],
    ['/article', []],
  ])('%s warns of %s', async (path, codes) => {
    const { body } = await scrape(path);
    expect(body['meta'].warnings.map((warning: { code: string }) => warning.code)).toEqual(codes);
  });
});
