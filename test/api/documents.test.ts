import { utils, write } from '@e965/xlsx';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { type Origin, startOrigin } from '../support/egress-origin.ts';
import { startSite, type Site } from '../support/site.ts';
import { createZip } from '../support/zip.ts';

const extractPath = '/api/proxy/web/v1/extract';
const markdownPath = '/api/proxy/web/v1/convert/markdown';

const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const link = '<w:p><w:hyperlink r:id="r2"><w:r><w:t>A way</w:t></w:r></w:hyperlink></w:p>'
  .repeat(2)
  .replace('r2', 'r3');
const paragraph = (text: string, style = '') =>
  `<w:p>${style && `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;
const letter = createZip({
  '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
  'word/_rels/document.xml.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/styles" Target="styles.xml"/><Relationship Id="r2" Type="${office}/hyperlink" Target="javascript:alert(1)" TargetMode="External"/><Relationship Id="r3" Type="${office}/hyperlink" Target="near" TargetMode="External"/></Relationships>`,
  'word/styles.xml': `<w:styles ${word}><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>`,
  'docProps/core.xml':
    '<cp:coreProperties><dc:title>Slate &amp; stone</dc:title><dc:creator>Ada Quarryman</dc:creator><dc:language>no language</dc:language><dcterms:created>soon</dcterms:created><dcterms:modified>2026-03-14T09:30:00Z</dcterms:modified></cp:coreProperties>',
  'word/document.xml': `<w:document ${word} xmlns:r="${office}"><w:body>${paragraph('On slate', 'H1')}${paragraph('Slate is split, never sawn.')}${link}</w:body></w:document>`,
});

const book = utils.book_new();
utils.book_append_sheet(
  book,
  utils.aoa_to_sheet([
    ['Stone', 'Mass'],
    ['Slate', 12.5],
  ]),
  'Stock',
);
const workbook = write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer;

/** A workbook of two sheets, of which one goes on beyond what is read; the other begins there. */
const longBook = utils.book_new();
utils.book_append_sheet(
  longBook,
  { ...utils.aoa_to_sheet([['a'], ['b']]), A50600: { t: 's', v: 'z' }, '!ref': 'A1:A50600' },
  'Long',
);
utils.book_append_sheet(longBook, { A60000: { t: 's', v: 'low' }, '!ref': 'A60000:A60001' }, 'Low');

/** Numbers that a column may be too narrow for, days as their country writes them, and a size that is not the sheet's. */
const cells = (row: number, ...texts: string[]) =>
  `<row r="${row}">${texts.map((text, at) => `<c r="${'ABCDE'[at]}${row}" ${text}</c>`).join('')}</row>`;
const sheetMain = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const officeMain = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const numbers = createZip({
  '[Content_Types].xml': `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${officeMain}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${officeMain}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${officeMain}.styles+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook ${sheetMain} xmlns:r="${office}"><sheets><sheet name="All" sheetId="1" r:id="r1"/></sheets></workbook>`,
  'xl/styles.xml': `<styleSheet ${sheetMain}><numFmts count="1"><numFmt numFmtId="164" formatCode="dd.mm.yyyy"/></numFmts><cellXfs count="5">${[0, 14, 22, 4, 164].map((id) => `<xf numFmtId="${id}"/>`).join('')}</cellXfs></styleSheet>`,
  'xl/worksheets/sheet1.xml': `<worksheet ${sheetMain}><dimension ref="A1:XFD1048576"/><sheetData>${cells(1, '><v>4006381333931</v>', '><v>0.1234567890123</v>', 's="1"><v>45322</v>', 's="4"><v>45322</v>', 't="b"><v>1</v>')}${cells(2, '><v>0.30000000000000004</v>', 's="3"><v>1234.5</v>', 's="2"><v>45322.5625</v>', 's="4"><v>45323</v>', 't="e"><v>#N/A</v>')}</sheetData></worksheet>`,
});

const logLine = (second: number) =>
  `2026-03-14T09:30:${second} the saw was stopped, and the block was turned over`;
const prose =
  'Slate is split, never sawn, by those who wait for that stone\nto open by itself; whoever forces it has two halves that suit\nno roof.';

/** All are sent as bytes of no kind, or as what they are not: their content tells. */
const bodies: Record<string, [Buffer | string, string]> = {
  '/letter': [letter, 'application/octet-stream'],
  '/stock': [workbook, 'text/html'],
  '/table.csv': ['stone;mass\nSlate;12,5\n"Marble, white";7\n', 'text/csv'],
  '/numbers.xlsx': [numbers, 'application/octet-stream'],
  '/told.csv': ['sep=|\nstone|mass\nSlate|12,5\n', 'text/csv'],
  '/addresses.tsv': ['name\taddress, town\nAda\tMain St, Bath\n', 'text/tab-separated-values'],
  '/gaps.csv': ['a,b,c\n1,,3\n', 'text/csv'],
  '/download': ['stone;"mass; kg"\nSlate;12,5\n', 'application/octet-stream'],
  '/unicode.xls': [
    Buffer.from('\ufeffstone\tsort\r\nSlate\t上等\r\n', 'utf16le'),
    'application/vnd.ms-excel',
  ],
  '/report.xls': ['stone,mass\nSlate,12\n', 'application/vnd.ms-excel'],
  '/races.json': ['[{"race":"Monza","constructor":"Ferrari"},{"race":"Spa"}]', 'application/json'],
  '/data.json': ['[{"stone":"Slate","mass":12.5},{"stone":"Marble","mass":7}]', 'application/json'],
  '/notes.txt': ['On slate\n\nSlate is split, never sawn,\nby those who wait.\n', 'text/plain'],
  '/numbers.json': ['{"id":1234567890123456789,"price":1.10,"big":1e400,"few":2}', 'application/json'],
  '/floats.json': ['[1.0,2.0]', 'application/json'],
  '/numbers-list.json': ['[{"id":1234567890123456789,"price":1.10,"big":1e400}]', 'application/json'],
  '/conf': ['a:\n  - b\n\n  - c\n', 'application/yaml'],
  '/code.py': ['def f():\n\n    return 1\n', 'text/plain'],
  '/code': ['Code:\n\ndef f():\n    return 1\n\n    # end\n\nThat was it.', 'text/plain'],
  '/log': [`${logLine(10)}\n${logLine(11)}\n${logLine(12)}\n`, 'text/plain'],
  '/prose': [prose, 'text/plain'],
  '/long.csv': [`a\n\n${'b\n'.repeat(50_020)}`, 'text/csv'],
  '/long-book': [write(longBook, { type: 'buffer', bookType: 'xlsx' }) as Buffer, 'text/html'],
  '/torn': [letter.subarray(0, 900), 'application/octet-stream'],
  '/locked.docx': [
    Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.from('EncryptedPackage', 'utf16le')]),
    'application/octet-stream',
  ],
  '/old.doc': [Buffer.from('d0cf11e0a1b11ae1'.repeat(9), 'hex'), 'application/msword'],
  '/slides.pptx': [createZip({ 'ppt/presentation.xml': '' }), 'application/octet-stream'],
  '/letter.odt': [createZip({ mimetype: '', 'content.xml': '' }), 'application/octet-stream'],
  '/book.epub': [createZip({ mimetype: '', 'META-INF/container.xml': '' }), 'application/octet-stream'],
  '/files.zip': [createZip({ 'a.txt': 'a' }), 'application/zip'],
  '/unknown': [Buffer.from(Array.from({ length: 99 }, (_, at) => at)), 'application/octet-stream'],
  '/letter.rtf': ['{\\rtf1 Slate}', 'text/rtf'],
  '/raw-table': ['stone,mass,place\nSlate,12,Wales\nMarble,7,Carrara\n', 'text/plain'],
  '/raw-notes': ['Slate is split, never sawn.\n', 'application/octet-stream'],
  '/shell': [
    '<!doctype html><title>Slate</title><div id="root">Loading</div><script>render(document.body)</script>',
    'application/octet-stream',
  ],
  '/gone.pdf': ['<!doctype html><title>Gone</title><h1>Gone</h1><p>The file was moved.', 'application/pdf'],
  '/empty-letter': [createZip({ 'word/document.xml': '<w:document' }), 'application/octet-stream'],
};

let origin: Origin;
let site: Site;
beforeAll(async () => {
  site = await startSite();
  origin = await startOrigin((request, response) => {
    const [bytes, type] = bodies[request.url ?? ''] ?? ['', 'text/plain'];
    response.writeHead(200, { 'content-type': type }).end(bytes);
  });
});
afterAll(async () => {
  await origin[Symbol.asyncDispose]();
  await site.close();
});

const at = (path: string) => new URL(path, origin.url).href;
const extract = (url: string, options: object = {}) =>
  call(extractPath, { body: { url, render: 'http', ...options } });

describe('what is no page is read too', () => {
  test.each([
    [
      '/letter',
      'On slate\n\nSlate is split, never sawn.\n\nA way\n\nA way',
      {
        title: 'Slate & stone',
        byline: 'Ada Quarryman',
        language: null,
        publishedAt: null,
        modifiedAt: '2026-03-14T09:30:00Z',
      },
    ],
    ['/stock', 'Stock\n\nStone\tMass\nSlate\t12.5', { confidence: 1 }],
    ['/table.csv', 'stone\tmass\nSlate\t12,5\nMarble, white\t7', { title: 'table.csv' }],
    [
      '/numbers.xlsx',
      'All\n\n4006381333931\t0.1234567890123\t2024-01-31\t31.01.2024\tTRUE\n0.3\t1,234.50\t2024-01-31 13:30\t01.02.2024\t#N/A',
      {},
    ],
    ['/told.csv', 'stone\tmass\nSlate\t12,5', {}],
    ['/addresses.tsv', 'name\taddress, town\nAda\tMain St, Bath', {}],
    ['/gaps.csv', 'a\tb\tc\n1\t\t3', {}],
    ['/download', 'stone\tmass; kg\nSlate\t12,5', {}],
    ['/unicode.xls', 'stone\tsort\nSlate\t上等', {}],
    ['/report.xls', 'stone\tmass\nSlate\t12', {}],
    ['/races.json', 'race\tconstructor\nMonza\tFerrari\nSpa', {}],
    ['/data.json', 'stone\tmass\nSlate\t12.5\nMarble\t7', { title: 'data.json' }],
    ['/notes.txt', 'On slate\n\nSlate is split, never sawn,\nby those who wait.', { wordCount: 11 }],
    ['/floats.json', '[\n  1.0,\n  2.0\n]', {}],
    ['/numbers-list.json', 'id\tprice\tbig\n1234567890123456789\t1.10\t1e400', {}],
    [
      '/numbers.json',
      '{\n  "id": 1234567890123456789,\n  "price": 1.10,\n  "big": 1e400,\n  "few": 2\n}',
      {},
    ],
    ['/conf', 'a:\n  - b\n\n  - c', {}],
    ['/code.py', 'def f():\n\n    return 1', {}],
    ['/code', 'Code:\n\ndef f():\n    return 1\n\n    # end\n\nThat was it.', {}],
    ['/log', `${logLine(10)}\n${logLine(11)}\n${logLine(12)}`, {}],
    ['/prose', prose.replaceAll('\n', ' '), {}],
    ['/raw-table', 'stone\tmass\tplace\nSlate\t12\tWales\nMarble\t7\tCarrara', {}],
    ['/raw-notes', 'Slate is split, never sawn.', {}],
    ['/gone.pdf', expect.stringContaining('The file was moved.'), { title: 'Gone' }],
  ])('%s', async (path, text, known) => {
    const { body } = await extract(at(path));
    expect(body['data']).toMatchObject({ text, ...known });
  });

  test('a page that a browser would download is read as it came', async () => {
    const { body } = await extract(at('/shell'), { render: 'auto' });
    expect(body['data']).toMatchObject({ title: 'Slate', text: expect.stringContaining('Loading') });
  });

  test('links lead somewhere, or nowhere', async () => {
    const { body } = await extract(at('/letter'));
    expect(body['data'].html).toContain(`<p><a href="${at('/near')}">A way</a></p>\n<p><a>A way</a></p>`);
  });

  test('empty cells keep the places of their columns', async () => {
    const { body } = await extract(at('/gaps.csv'), { selector: 'table' });
    expect(body['data'].html.replaceAll('\n', '')).toContain('<td>1</td><td></td><td>3</td>');
  });

  test('of a document too, only what the selectors leave', async () => {
    const { body } = await extract(at('/letter'), { selector: 'p', excludeSelectors: ['p:last-child'] });
    expect(body['data'].text).toBe('Slate is split, never sawn.\n\nA way');
    expect(body['data'].html).not.toContain('On slate');
    const { body: none } = await extract(at('/table.csv'), { selector: 'h1' });
    expect(none).toMatchObject({ status: 422, code: 'selector_not_found' });
  });

  test('rows that are left out are told', async () => {
    const told = async (path: string) =>
      (await extract(at(path))).body['meta'].warnings.map(({ message }: { message: string }) => message);
    expect(await told('/long.csv')).toEqual([expect.stringContaining('ends after 50,000 rows')]);
    expect(await told('/long-book')).toEqual([
      expect.stringContaining('"Long" is read to its row 50,000'),
      expect.stringContaining('"Low" is read to its row 50,000'),
    ]);
    expect(await told('/numbers.xlsx')).toEqual([]);
  });

  test('a PDF', async () => {
    const { body } = await extract(`${site.origin}/report.pdf`);
    expect(body['data'].text).toContain('Slate is split, never sawn.');
  });

  test('a scanned PDF says that it has no text', async () => {
    const { body } = await extract(`${site.origin}/scan.pdf`);
    expect(body['data'].text).toBe('');
    expect(body['meta'].warnings).toMatchObject([{ code: 'pdf_without_text' }]);
  });

  test('as markdown', async () => {
    const { body } = await call(markdownPath, { body: { url: at('/stock'), render: 'http' } });
    expect(body['data'].markdown).toBe('## Stock\n\n| Stone | Mass |\n| - | - |\n| Slate | 12.5 |');
  });
});

describe('what cannot be read is unsupported_content', () => {
  test.each([
    ['/torn', 'the list of its parts is missing'],
    ['/empty-letter', 'damaged or encrypted'],
    ['/locked.docx', 'an Office document that is encrypted'],
    ['/old.doc', 'Office 2003 or older'],
    ['/slides.pptx', 'a presentation'],
    ['/letter.odt', 'an OpenDocument file'],
    ['/book.epub', 'an e-book'],
    ['/files.zip', 'a ZIP archive'],
    ['/letter.rtf', 'an RTF document'],
    ['/unknown', 'application/octet-stream'],
  ])('%s says what it is', async (path, words) => {
    expect((await extract(at(path))).body).toMatchObject({
      status: 422,
      code: 'unsupported_content',
      detail: expect.stringContaining(words),
    });
  });

  test('a damaged PDF', async () => {
    const { body } = await extract(`${site.origin}/broken.pdf`);
    expect(body).toMatchObject({ code: 'unsupported_content', detail: expect.stringContaining('damaged') });
  });
});

test('`Accept: text/markdown` answers the markdown alone', async () => {
  const answer = await call<string>(markdownPath, {
    body: { url: at('/stock'), render: 'http' },
    headers: { accept: 'text/markdown' },
  });
  expect(answer.body).toBe('## Stock\n\n| Stone | Mass |\n| - | - |\n| Slate | 12.5 |');
});
