import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, screenshotPath } from '../support/client.ts';
import { startSite, type Site } from '../support/site.ts';

let site: Site;
beforeAll(async () => {
  site = await startSite();
});
afterAll(() => site.close());

const shoot = async (path: string, options: Record<string, unknown> = {}) => {
  const { status, body } = await call(screenshotPath, { body: { url: site.origin + path, ...options } });
  return { status, body, data: body['data'], warnings: body['meta']?.warnings ?? [] };
};

const fetchBytes = async (link: string): Promise<Buffer> =>
  Buffer.from(await (await fetch(link)).arrayBuffer());

const colorAt = async (link: string, left: number, top: number): Promise<number[]> => {
  const pixel = sharp(await fetchBytes(link)).extract({ left, top, width: 1, height: 1 });
  return [...(await pixel.removeAlpha().raw().toBuffer())];
};

/** What the browser told the site of itself. */
const headersOf = (path: string) => site.requests.findLast((one) => one.path === path)?.headers ?? {};

describe('a pdf', () => {
  test('has the whole page on A4, and no thumbnail', async () => {
    const { data } = await shoot('/article', { format: 'pdf' });
    expect(data).toMatchObject({ format: 'pdf', height: 1123, thumbnailUrl: null, truncated: false });
    expect([794, 795]).toContain(data.width);
    const response = await fetch(data.imageUrl);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes).toHaveLength(data.bytes);
    expect(bytes.toString('latin1', 0, 5)).toBe('%PDF-');
  });

  test('can be read: its text is text', async () => {
    const { data } = await shoot('/article', { format: 'pdf' });
    const { extractText } = await import('unpdf');
    const { text } = await extractText(new Uint8Array(await fetchBytes(data.imageUrl)), { mergePages: true });
    expect(text).toContain('How slate is split');
  });

  const printed = async (pdf: Record<string, unknown>) => {
    const sheets = ['One', 'Two', 'Three'].map((word) => `<h1 style="break-after: page">${word}</h1>`);
    const html = `<title>Sheets</title>${sheets.join('')}`;
    const { status, body } = await call(screenshotPath, { body: { html, format: 'pdf', pdf } });
    return { status, body, data: body['data'] };
  };
  const textOf = async (link: string) => {
    const { extractText } = await import('unpdf');
    return (await extractText(new Uint8Array(await fetchBytes(link)), { mergePages: false })).text;
  };

  /** Of a text on the first sheet, in points. */
  const heightOf = async (link: string, text: string) => {
    const { getDocumentProxy } = await import('unpdf');
    const sheet = await (await getDocumentProxy(new Uint8Array(await fetchBytes(link)))).getPage(1);
    const { items } = await sheet.getTextContent();
    const found = items.find((item) => 'str' in item && item.str.includes(text.trim()));
    return found !== undefined && 'height' in found ? found.height : 0;
  };

  test('is printed as asked: paper, sheets, and lines at head and foot', async () => {
    const { data } = await printed({
      paper: 'letter',
      landscape: true,
      pages: '2-3',
      header: '<p><span class="title"></span>, a draft</p>',
      footer: '<p style="font-size: 9px">sheet <span class="pageNumber"></span></p>',
    });
    expect(data).toMatchObject({ width: 11 * 96, height: 8.5 * 96, truncated: false });
    const sheets = await textOf(data.imageUrl);
    expect(sheets).toHaveLength(2);
    expect(sheets[0]).toMatch(/Sheets, a draft[^]*Two[^]*sheet 2|Two[^]*Sheets, a draft[^]*sheet 2/);
    expect(sheets[1]).toContain('Three');
    expect(await heightOf(data.imageUrl, ', a draft')).toBeGreaterThan(5);
  });

  test.each([
    ['sheets that are not there', { pages: '90' }, 'pdf.pages'],
    ['ranges that fall', { pages: '3-2' }, 'pdf.pages'],
    ['margins that leave no room', { margin: '20cm' }, 'pdf.margin'],
    ['a length without a unit', { margin: { top: '20' } }, 'pdf.margin.top'],
    ['another option', { papr: 'a4' }, 'pdf'],
  ])('with %s is refused', async (_what, pdf, path) => {
    const { status, body } = await printed(pdf);
    expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'invalid_request' });
    expect(body['errors'][0].path).toContain(path.split('.')[0]);
  });
});

describe('a page that the request brings', () => {
  const show = (html: string, options: Record<string, unknown> = {}) =>
    call(screenshotPath, { body: { html, ...options } });

  test('is rendered with an opaque origin, and told as such', async () => {
    const script = 'try { localStorage; document.title += "stored" } catch { document.title = self.origin }';
    const picture = `${site.origin}/image.png?inline`;
    const { body } = await show(
      `<title></title><body style="background: rgb(0, 128, 0)"><p>Grüße</p><img src="${picture}" hidden><script>${script}</script>`,
    );
    const { data } = body as Record<string, any>;
    expect(data).toMatchObject({
      url: 'about:srcdoc',
      finalUrl: 'about:srcdoc',
      statusCode: null,
      title: 'null',
      width: 1280,
    });
    expect(data.options).not.toHaveProperty('html');
    expect(await colorAt(data.imageUrl, 640, 600)).toEqual([0, 128, 0]);
    expect(site.requests.filter(({ path }) => path === '/image.png?inline')).toHaveLength(1);
    const again = await call(`${screenshotPath}/${data.id}`);
    expect(again.body['data']).toMatchObject({ url: 'about:srcdoc', status: 'succeeded' });
  });

  test('waits, scrolls and is cut out like any other', async () => {
    const late = '<script>setTimeout(() => { document.body.innerHTML = `<b id="late">x</b>` }, 400)</script>';
    const { body } = await show(`<style>#late { display: block; width: 60px; height: 40px }</style>${late}`, {
      waitFor: '#late',
      selector: '#late',
    });
    expect(body['data']).toMatchObject({ width: 60, height: 40 });
  });

  test('that is busy for a while is asked for nowhere, and nothing is told as refused', async () => {
    const busy = '<script>const end = Date.now() + 2_000; while (Date.now() < end);</script>';
    const { body } = await show(`<title>Busy</title>${busy}<p>There`, { timeout: 20_000 });
    expect([body['data'].title, body['meta'].warnings]).toEqual(['Busy', []]);
  });

  test('reaches nothing that a page may not, and ends at its deadline', async () => {
    const inward =
      '<iframe src="http://10.0.0.1/"></iframe><img src="http://169.254.169.254/latest/meta-data">';
    expect((await show(`<title>In</title>${inward}`)).body['data']).toMatchObject({ title: 'In' });
    const { status, body } = await show('<script>for (;;) {}</script>', { timeout: 2_000 });
    expect({ status, code: body['code'] }).toEqual({ status: 504, code: 'page_unresponsive' });
  });

  test.each([
    ['neither', {}, 'url'],
    ['both', { html: '<p>', url: 'https://example.com/' }, 'html'],
    ['cookies for no origin', { html: '<p>', cookies: { a: '1' } }, 'cookies'],
  ])('with %s is refused', async (_what, asked, path) => {
    const { status, body } = await call(screenshotPath, { body: asked });
    expect({ status, errors: body['errors'] }).toMatchObject({ status: 400, errors: [{ path }] });
  });
});

describe('a device', () => {
  test('brings its screen and its user agent', async () => {
    const { data } = await shoot('/echo?device', { device: 'iPhone 15 Pro' });
    expect(data).toMatchObject({ width: 393 * 3, height: 659 * 3 });
    expect(headersOf('/echo?device')['user-agent']).toMatch(/iPhone.*Safari/);
  });

  test('yields to what is asked besides', async () => {
    const { data } = await shoot('/echo?mine', {
      device: 'pixel 5',
      width: 400,
      deviceScaleFactor: 1,
      userAgent: 'Mine/1',
    });
    expect(data.width).toBe(400);
    expect(headersOf('/echo?mine')['user-agent']).toBe('Mine/1');
  });

  test('that nobody knows is refused, with names like it', async () => {
    const { status, body } = await shoot('/article', { device: 'iPhone 99' });
    expect(status).toBe(400);
    expect(body['errors']).toMatchObject([{ path: 'device', message: expect.stringContaining('iPhone') }]);
  });

  test('mobile: a phone of 412 × 915', async () => {
    const { data } = await shoot('/echo?phone', { mobile: true });
    expect(data).toMatchObject({ width: 412, height: 915 });
    expect(headersOf('/echo?phone')).toMatchObject({ 'user-agent': expect.stringContaining('Mobile') });
  });
});

describe('the place of the reader', () => {
  test('locale reaches the target', async () => {
    await shoot('/echo?locale', { locale: 'de-CH' });
    expect(headersOf('/echo?locale')['accept-language']).toMatch(/^de-CH/);
  });

  test('timeZone is that of the page', async () => {
    for (const timeZone of ['Asia/Tokyo', 'asia/tokyo'])
      expect((await shoot('/time-zone', { timeZone })).data.title).toBe('Asia/Tokyo 09:00');
  });

  test('a time zone or locale that does not exist is refused', async () => {
    for (const timeZone of ['Mars/Olympus', '+05:30'])
      expect((await shoot('/article', { timeZone })).status).toBe(400);
    expect((await shoot('/article', { locale: 'not a locale' })).status).toBe(400);
  });
});

describe('what is left out or added', () => {
  test('hideSelectors and css', async () => {
    const options = { hideSelectors: ['#banner'], css: 'body { background: yellow }' };
    const { data } = await shoot('/elements', options);
    expect(await colorAt(data.imageUrl, 400, 10)).toEqual([255, 255, 0]);
    const importing = await shoot('/elements', {
      hideSelectors: ['#banner'],
      css: '/* @import "none" */ @import url(a.css); body { background: yellow }',
    });
    expect(importing.warnings).toMatchObject([{ code: 'css_import_ignored' }]);
    expect(await colorAt(importing.data.imageUrl, 400, 10)).toEqual([255, 255, 0]);
    const { status, body } = await shoot('/elements', { hideSelectors: ['p', '[['] });
    expect({ status, errors: body['errors'] }).toMatchObject({
      status: 400,
      errors: [{ path: 'hideSelectors.1' }],
    });
  });

  test('delay waits before the picture', async () => {
    const { data } = await shoot('/late-colour', { delay: 800 });
    expect(await colorAt(data.imageUrl, 600, 600)).toEqual([0, 128, 0]);
  });

  test.each([
    ['a banner of a known kind is refused', '/known-banner', 'cookie_banner_refused'],
    ['an unknown one is hidden', '/unknown-banner', 'cookie_banner_hidden'],
  ])('%s, and it is told', async (_what, path, code) => {
    const { data, warnings } = await shoot(path);
    expect(warnings).toMatchObject([{ code }]);
    expect((await colorAt(data.imageUrl, 640, 700))[0]).toBe((await colorAt(data.imageUrl, 640, 700))[1]);
    const kept = await shoot(path, { blockCookieBanners: false });
    expect(await colorAt(kept.data.imageUrl, 640, 700)).toEqual([255, 0, 0]);
    expect(kept.warnings).toEqual([]);
  });

  test.each(['the same origin', 'another site'])('a banner in a frame of %s is refused', async (where) => {
    // Another address, so that Chromium gives the frame a process of its own.
    await using other = await startSite('127.0.0.2');
    const framed = where === 'another site' ? other : site;
    const before = framed.hits('/refused-in-frame');
    const { data, warnings } = await shoot(`/framed-banner?frame=${framed.origin}/banner-frame`);
    expect(warnings).toMatchObject([{ code: 'cookie_banner_refused' }]);
    expect(framed.hits('/refused-in-frame')).toBe(before + 1);
    expect(await colorAt(data.imageUrl, 640, 700)).toEqual([255, 255, 255]);
  });

  test('a frame that stays after its answer is hidden, and both are told', async () => {
    const { data, warnings } = await shoot('/framed-banner?stays');
    expect(warnings).toMatchObject([{ code: 'cookie_banner_refused' }, { code: 'cookie_banner_hidden' }]);
    expect(await colorAt(data.imageUrl, 640, 700)).toEqual([255, 255, 255]);
  });

  test('a header that stays is no banner', async () => {
    const { data, warnings } = await shoot('/no-banner');
    expect(warnings).toEqual([]);
    expect(await colorAt(data.imageUrl, 640, 50)).toEqual([0, 0, 255]);
  });

  test('advertisers are not asked, and it is told', async () => {
    const { data, warnings } = await shoot('/advertised');
    expect(warnings).toMatchObject([{ code: 'ads_blocked', message: expect.stringContaining('2 requests') }]);
    expect(data.statusCode).toBe(200);
    expect((await shoot('/advertised', { blockAds: false, timeout: 5_000 })).warnings).toEqual([]);
  });
});

test('the record names the options, defaults filled in', async () => {
  const { data } = await shoot('/article', { width: 500 });
  expect(data.options).toMatchObject({ width: 500, blockAds: true, blockCookieBanners: true, mobile: false });
});

describe('what is missing in a picture is told', () => {
  test('parts of the page that were refused', async () => {
    const { data, warnings } = await shoot('/refused-parts');
    expect(data.statusCode).toBe(200);
    expect(warnings).toMatchObject([
      { code: 'requests_refused', message: expect.stringMatching(/^2 requests.*10\.0\.0\.1/) },
    ]);
    const scraped = await call('/api/proxy/web/v1/scrape', {
      body: { url: `${site.origin}/refused-parts`, render: 'browser' },
    });
    expect(scraped.body['meta'].warnings).toMatchObject([{ code: 'requests_refused' }]);
  });

  test('parts that came after the bytes of one request were used up', async () => {
    const { data, warnings } = await shoot('/large-below', { fullPage: true });
    expect(data.statusCode).toBe(200);
    expect(warnings).toMatchObject([{ code: 'page_incomplete' }]);
  });
});
