import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';
import { type Origin, startOrigin } from '../support/egress-origin.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const cyrillic = Buffer.from('History, И́стория: каменоломня за холмом', 'utf16le');
const japanese = Buffer.from('<!doctype html><title>石切り場</title><p>この石切り場', 'utf16le');
const russian = Buffer.concat([
  Buffer.from('<title>'),
  Buffer.from([0xca, 0xe0, 0xf0, 0xfc, 0xe5, 0xf0]),
  Buffer.from('</title><p>'),
  Buffer.from('caeef0e0e1ebfc20eff0e8f8e5eb20ea20e1e5f0e5e3f320f3f2f0eeec', 'hex'),
]);
const swap = (bytes: Buffer) => Buffer.from(bytes).swap16();
/** That no guess takes for what it is. */
const macCafe = Buffer.from('<title>Slate caf\x8e', 'latin1');
const withHead = (head: string, rest: Buffer) => Buffer.concat([Buffer.from(head), rest]);

/** Bytes, and the type that they are sent with. */
const bodies: Record<string, [Buffer, string | string[] | null]> = {
  '/png-as-html': [hex('89504e470d0a1a0a 0000000d49484452'), 'text/html'],
  '/gif-as-html': [Buffer.from('GIF89a\x01\x01\x01'), 'text/html; charset=utf-8'],
  '/jpeg-as-text': [Buffer.concat([hex('ffd8ffe0'), Buffer.alloc(100, 0x55)]), 'text/plain'],
  '/jpeg-as-json': [Buffer.concat([hex('ffd8ffe0'), Buffer.alloc(100, 0x55)]), 'application/json'],
  '/webp-as-xml': [Buffer.from('RIFF\x10\x20\x30\x40WEBPVP8 '), 'text/xml'],
  '/mp4-as-html': [Buffer.from('\0\0\0\x18ftypmp42'), 'text/html'],
  '/zip-as-html': [Buffer.concat([hex('504b0304 1400'), Buffer.alloc(300, 0xc8)]), 'text/html'],
  '/zipped-twice': [gzipSync('<title>Zipped once more than said</title>'), 'text/html'],
  '/png-of-no-type': [hex('89504e470d0a1a0a 0000000d49484452'), null],
  '/broken-pdf-as-html': [Buffer.from('%PDF-1.4\nno more'), 'text/html'],

  '/type-without-slash': [Buffer.from('<!doctype html><title>Page</title>'), 'html'],
  '/type-of-stars': [Buffer.from('<!doctype html><title>Page</title>'), '*/*'],
  '/log': [Buffer.from(`${'a line of a log\n'.repeat(20)}stray \0 byte`), 'text/plain'],

  '/utf-16le': [japanese, 'text/html'],
  '/utf-16be': [swap(japanese), 'text/html'],
  '/utf-16le-of-no-type': [japanese, null],
  '/utf-16be-xml': [swap(Buffer.from('<?xml version="1.0"?><r>石切り場</r>', 'utf16le')), 'text/xml'],
  '/utf-16le-text': [cyrillic, 'text/plain; charset=utf-16le'],
  '/utf-16be-text': [swap(cyrillic), 'text/plain; charset=UTF-16BE'],
  '/xml-of-no-type': [withHead('<?xml version="1.0" encoding="windows-1251"?>', russian), null],
  '/meta-in-comment': [withHead('<!-- <meta charset="koi8-r"> -->', russian), 'text/html'],
  // Past the 1,024 bytes in which the standard finds declarations in scripts too.
  '/meta-in-script': [
    withHead(`<!--${'-'.repeat(1_100)}--><script>"<meta charset=koi8-r>"</script>`, russian),
    'text/html',
  ],
  '/quoted-once': [russian, "text/html; charset='windows-1251'"],
  '/xml-and-meta': [
    withHead('<?xml version="1.0" encoding="koi8-r"?><meta charset="windows-1251">', russian),
    'text/html',
  ],
  '/meta-in-noscript': [withHead('<noscript><meta charset="macintosh"></noscript>', macCafe), 'text/html'],
  '/meta-with-spaces': [
    withHead('<meta http-equiv=" Content-Type " content="text/html; charset=koi8-r">', russian),
    'text/html',
  ],
  '/two-types': [russian, ['text/html; charset=koi8-r', 'text/html; charset=windows-1251']],
  '/two-types-in-one': [
    russian,
    'text/plain; charset="koi8-r, x", text/html; charset=windows-1251, text/html',
  ],
  '/another-type': [
    withHead('<meta charset="windows-1251">', russian),
    ['text/plain; charset=koi8-r', 'text/html'],
  ],
  '/type-without-semicolon': [withHead('<meta charset="macintosh">', macCafe), 'text/html charset=koi8-r'],
  '/meta-behind-noscript': [
    withHead(
      `<noscript><img src="/pixel"></noscript><!--${'x'.repeat(2_000)}--><meta charset="macintosh">`,
      macCafe,
    ),
    'text/html',
  ],
  '/empty-charset': [macCafe, 'text/html; charset=; charset=macintosh'],
  '/comment-behind-type': [macCafe, 'text/html(page); charset=macintosh'],
  '/xhtml-with-meta': [
    Buffer.from(
      '<html xmlns="http://www.w3.org/1999/xhtml"><head><meta charset="windows-1251"/></head><p>Карьер</p></html>',
    ),
    'application/xhtml+xml',
  ],
  '/last-byte': [Buffer.from('<title>Slate caf\xe9', 'latin1'), 'text/html'],
  '/last-character': [withHead('<title>Slate 10 ', hex('e282')), 'text/html'],
  '/iso-2022-jp': [Buffer.from('<title>\x1b$B@P@Z$j>l\x1b(B</title>'), 'text/html'],
};

let origin: Origin;
beforeAll(async () => {
  origin = await startOrigin((request, response) => {
    const [bytes, type] = bodies[request.url ?? ''] ?? [Buffer.alloc(0), null];
    response.statusCode = 200;
    if (type !== null) response.setHeader('content-type', type);
    response.end(bytes);
  });
});
afterAll(() => origin[Symbol.asyncDispose]());

const scrape = (path: string) =>
  call(scrapePath, { body: { url: new URL(path, origin.url).href, render: 'http' } });

describe('what a file is called does not make it a page', () => {
  test.each(Object.keys(bodies).slice(0, 10))('%s', async (path) => {
    expect((await scrape(path)).body).toMatchObject({ status: 422, code: 'unsupported_content' });
  });
});

describe('a page is one whatever it is called', () => {
  test.each(['/type-without-slash', '/type-of-stars'])('%s', async (path) => {
    expect((await scrape(path)).body['data']).toMatchObject({ title: 'Page', statusCode: 200 });
  });

  test('/log', async () => {
    expect((await scrape('/log')).body['data'].html).toContain('stray \ufffd byte');
  });
});

describe('the encoding of what says nothing right about it', () => {
  test.each([
    ['/utf-16le', 'utf-16le', '石切り場'],
    ['/utf-16be', 'utf-16be', '石切り場'],
    ['/utf-16le-of-no-type', 'utf-16le', '石切り場'],
    ['/utf-16be-xml', 'utf-16be', '石切り場'],
    ['/utf-16le-text', 'utf-16le', 'каменоломня'],
    ['/utf-16be-text', 'utf-16be', 'каменоломня'],
    ['/xml-of-no-type', 'windows-1251', 'Карьер'],
    ['/meta-in-comment', 'windows-1251', 'Карьер'],
    ['/meta-in-script', 'windows-1251', 'Карьер'],
    ['/quoted-once', 'windows-1251', 'Карьер'],
    ['/xml-and-meta', 'windows-1251', 'Карьер'],
    ['/meta-in-noscript', 'macintosh', 'café'],
    ['/meta-with-spaces', 'windows-1251', 'Карьер'],
    ['/two-types', 'windows-1251', 'Карьер'],
    ['/two-types-in-one', 'windows-1251', 'Карьер'],
    ['/another-type', 'windows-1251', 'Карьер'],
    ['/type-without-semicolon', 'macintosh', 'café'],
    ['/meta-behind-noscript', 'macintosh', 'café'],
    ['/empty-charset', 'macintosh', 'café'],
    ['/comment-behind-type', 'macintosh', 'café'],
    ['/xhtml-with-meta', 'utf-8', 'Карьер'],
    ['/last-byte', 'windows-1252', 'café'],
    ['/last-character', 'utf-8', '10 \ufffd'],
    ['/iso-2022-jp', 'iso-2022-jp', '石切り場'],
  ])('%s', async (path, charset, text) => {
    const { data } = (await scrape(path)).body;
    expect(data.charset).toBe(charset);
    expect(data.html).toContain(text);
  });
});
