import { deflateSync } from 'node:zlib';
import { createZip } from './zip.ts';

const megabyte = 1_048_576;

interface PdfObject {
  /** Its dictionary, without a length. */
  head: string;
  stream?: Buffer;
}

/** A PDF of these objects, the first its catalogue; without a list of them, so that a reader looks for each. */
function writePdf(objects: readonly (string | PdfObject)[]): Buffer {
  const parts = objects.flatMap((object, index) => {
    const { head, stream } = typeof object === 'string' ? { head: object } : object;
    const start = `${index + 1} 0 obj\n`;
    if (stream === undefined) return [Buffer.from(`${start}${head}\nendobj\n`)];
    const dictionary = head.replace(/>>$/, `/Length ${stream.length}>>`);
    return [Buffer.from(`${start}${dictionary}\nstream\n`), stream, Buffer.from('\nendstream\nendobj\n')];
  });
  return Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    ...parts,
    Buffer.from(`trailer\n<</Root 1 0 R/Size ${objects.length + 1}>>\n%%EOF\n`),
  ]);
}

const catalogue = '<</Type/Catalog/Pages 2 0 R>>';
const onePage = '<</Type/Pages/Kids[3 0 R]/Count 1>>';
const font = '/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>';
const pageWith = (resources: string, contents = '4 0 R') =>
  `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<<${resources}>>/Contents ${contents}>>`;
const packed = (text: string | Buffer, filters = '/FlateDecode'): PdfObject => ({
  head: `<</Filter ${filters}>>`,
  stream: deflateSync(text),
});

/** A list of objects as a stream, which says that it has `count` entries in `bytes` zeros. */
function listOf(count: number, bytes: number): Buffer {
  const list = deflateSync(Buffer.alloc(bytes));
  const head = `1 0 obj\n<</Type/XRef/Size ${count}/W[1 2 1]/Root 1 0 R/Filter/FlateDecode/Length ${list.length}>>\nstream\n`;
  const start = Buffer.from(`%PDF-1.7\n${head}`);
  return Buffer.concat([start, list, Buffer.from('\nendstream\nendobj\nstartxref\n9\n%%EOF\n')]);
}

/** Streams of objects, each said to go on in the next, the last in the first. */
function ringOfObjectStreams(count: number): Buffer {
  const streams = Array.from({ length: count }, (_, n) => {
    const next = n + 1 < count ? n + 6 : 5;
    const content = Buffer.from(`${n + 5} 0 <</Type/ObjStm>>`);
    return { head: `<</Type/ObjStm/N 1/First 4/Extends ${next} 0 R>>`, stream: content };
  });
  return writePdf([
    catalogue,
    onePage,
    pageWith(font),
    packed('BT /F1 12 Tf 50 700 Td (Slate is split.) Tj ET'),
    ...streams,
  ]);
}

/** Drawings each of which draws the next ten times; `isRing`: the last draws the first. */
function drawingsOfDrawings(depth: number, isRing: boolean): Buffer {
  const draws = '/X Do '.repeat(10);
  const form = (next: number): PdfObject => ({
    head: `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${font}/XObject<</X ${next} 0 R>>>>>>`,
    stream: Buffer.from(`${draws} BT /F1 9 Tf (Slate) Tj ET`),
  });
  const forms = Array.from({ length: depth }, (_, n) => form(n + 1 < depth || !isRing ? n + 6 : 5));
  const last: PdfObject = {
    head: `<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${font}>>>>`,
    stream: Buffer.from('BT /F1 9 Tf (Slate) Tj ET'),
  };
  return writePdf([
    catalogue,
    onePage,
    pageWith(`${font}/XObject<</X 5 0 R>>`),
    packed('/X Do'),
    ...forms,
    last,
  ]);
}

/** A page whose content is said to be a picture in JBIG2, of 65,535 pixels each way and black. */
function pictureAsContent(): Buffer {
  const size = Buffer.alloc(19);
  size.writeUInt32BE(65_535, 0);
  size.writeUInt32BE(65_535, 4);
  size[16] = 4;
  const segment = Buffer.concat([Buffer.from([0, 0, 0, 0, 48, 0, 1, 0, 0, 0, 19]), size]);
  return writePdf([
    catalogue,
    onePage,
    pageWith(font),
    { head: '<</Filter/JBIG2Decode/Width 65535/Height 65535>>', stream: segment },
  ]);
}

/** A font that has a text for each of four billion codes. */
function codesWithoutEnd(): Buffer {
  const map = `/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange 1 beginbfrange <00000000> <FFFFFFFF> <0041> endbfrange endcmap`;
  const fonts =
    '/Font<</F1<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/ToUnicode 5 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(A)/Ordering(I)/Supplement 0>>>>]>>>>';
  return writePdf([
    catalogue,
    onePage,
    pageWith(fonts),
    packed('BT /F1 12 Tf 50 700 Td <0041> Tj ET'),
    packed(map),
  ]);
}

/** A tree of pages as deep as it has nodes. */
function deepTree(depth: number): Buffer {
  const nodes = Array.from({ length: depth }, (_, n) => `<</Type/Pages/Count 1/Kids[${n + 3} 0 R]>>`);
  return writePdf([catalogue, ...nodes, '<</Type/Page/MediaBox[0 0 9 9]>>']);
}

const chainOf = (filters: number): Buffer => {
  let content = Buffer.from('BT /F1 12 Tf 50 700 Td (Slate is split.) Tj ET');
  for (let n = 0; n < filters; n++) content = deflateSync(content, { level: 0 });
  const head = `<</Filter[${'/FlateDecode'.repeat(filters)}]>>`;
  return writePdf([catalogue, onePage, pageWith(font), { head, stream: content }]);
};

const manyRuns = (count: number): Buffer =>
  writePdf([catalogue, onePage, pageWith(font), packed(`BT /F1 9 Tf ${'1 0 Td (a) Tj '.repeat(count)}ET`)]);

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const relations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const types = 'http://schemas.openxmlformats.org/package/2006/content-types';
const sheetTypes = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

interface Workbook {
  /** What stands in its sheet. */
  sheet: string;
  strings?: string;
  styles?: string;
}

function workbookOf({ sheet, strings = '', styles = '' }: Workbook): Buffer {
  const names = { worksheets: 'worksheets/sheet1', sharedStrings: 'sharedStrings', styles: 'styles' };
  const kinds = { worksheets: 'worksheet', sharedStrings: 'sharedStrings', styles: 'styles' };
  const keys = ['worksheets', 'sharedStrings', 'styles'] as const;
  const parts = keys.map(
    (key) => `<Override PartName="/xl/${names[key]}.xml" ContentType="${sheetTypes}.${kinds[key]}+xml"/>`,
  );
  const links = keys.map(
    (key, n) => `<Relationship Id="r${n + 1}" Type="${office}/${kinds[key]}" Target="${names[key]}.xml"/>`,
  );
  const book = `<workbook ${main} xmlns:r="${office}"><sheets><sheet name="All" sheetId="1" r:id="r1"/></sheets></workbook>`;
  return createZip(
    {
      '[Content_Types].xml': `<Types xmlns="${types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${sheetTypes}.sheet.main+xml"/>${parts.join('')}</Types>`,
      '_rels/.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
      'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${relations}">${links.join('')}</Relationships>`,
      'xl/workbook.xml': book,
      'xl/sharedStrings.xml': `<sst ${main}>${strings}</sst>`,
      'xl/styles.xml': `<styleSheet ${main}>${styles}</styleSheet>`,
      'xl/worksheets/sheet1.xml': `<worksheet ${main}>${sheet}</worksheet>`,
    },
    true,
  );
}

const rowsOf = (count: number, row: (n: number) => string): string =>
  `<sheetData>${Array.from({ length: count }, (_, n) => row(n + 1)).join('')}</sheetData>`;
const cell = (place: string, value: string | number, attributes = '') =>
  `<c r="${place}" ${attributes}><v>${value}</v></c>`;

const word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const wordTypes = 'application/vnd.openxmlformats-officedocument.wordprocessingml';

interface WordDocument {
  body: string;
  styles?: string;
  notes?: string;
  prolog?: string;
}

function documentOf({ body, styles = '', notes = '', prolog = '' }: WordDocument): Buffer {
  return createZip(
    {
      '[Content_Types].xml': `<Types xmlns="${types}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="${wordTypes}.document.main+xml"/></Types>`,
      '_rels/.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/officeDocument" Target="word/document.xml"/></Relationships>`,
      'word/_rels/document.xml.rels': `<Relationships xmlns="${relations}"><Relationship Id="r1" Type="${office}/styles" Target="styles.xml"/><Relationship Id="r2" Type="${office}/footnotes" Target="footnotes.xml"/></Relationships>`,
      'word/styles.xml': `<w:styles ${word}>${styles}</w:styles>`,
      'word/footnotes.xml': `<w:footnotes ${word}>${notes}</w:footnotes>`,
      'word/document.xml': `${prolog}<w:document ${word}><w:body>${body}</w:body></w:document>`,
    },
    true,
  );
}

const paragraph = (text: string, style = '') =>
  `<w:p>${style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r><w:t>${text}</w:t></w:r></w:p>`;
const nested = (open: string, close: string, depth: number) =>
  open.repeat(depth) + paragraph('Slate') + close.repeat(depth);

/** What an attack comes to: that it is too much, that it cannot be read, or a text that has these words. */
export type BombEnd = { tooLarge: true } | { unreadable: true } | { text: string };
const tooLarge: BombEnd = { tooLarge: true };
const unreadable: BombEnd = { unreadable: true };

export interface DocumentBomb {
  kind: 'pdf' | 'xlsx' | 'docx';
  make: () => Buffer;
  /** Any of them will do. */
  ends: readonly BombEnd[];
}

/** Small files that make a reader work without end, or hold more than a machine has. */
export const documentBombs: Record<string, DocumentBomb> = {
  'PDF: a list of 50 million objects': {
    kind: 'pdf',
    make: () => listOf(50_000_000, 200_000_000),
    ends: [tooLarge, unreadable],
  },
  'PDF: a list that says it has two billion objects': {
    kind: 'pdf',
    make: () => listOf(2_000_000_000, 1_000),
    ends: [tooLarge, unreadable],
  },
  'PDF: a ring of streams of objects': {
    kind: 'pdf',
    make: () => ringOfObjectStreams(5_000),
    ends: [{ text: 'Slate is split.' }],
  },
  'PDF: drawings of drawings': {
    kind: 'pdf',
    make: () => drawingsOfDrawings(9, false),
    ends: [tooLarge],
  },
  'PDF: a ring of drawings': {
    kind: 'pdf',
    make: () => drawingsOfDrawings(3, true),
    ends: [{ text: 'Slate' }],
  },
  'PDF: a picture in place of a text': {
    kind: 'pdf',
    make: pictureAsContent,
    ends: [tooLarge, unreadable, { text: '' }],
  },
  'PDF: a text for each of four billion codes': {
    kind: 'pdf',
    make: codesWithoutEnd,
    ends: [tooLarge, { text: 'A' }, { text: '' }],
  },
  'PDF: a tree of pages of 50,000 levels': {
    kind: 'pdf',
    make: () => deepTree(50_000),
    ends: [tooLarge, unreadable, { text: '' }],
  },
  'PDF: a text that is packed a hundred times': {
    kind: 'pdf',
    make: () => chainOf(100),
    ends: [{ text: 'Slate is split.' }],
  },
  'PDF: a million pieces of text on one line': {
    kind: 'pdf',
    make: () => manyRuns(1_000_000),
    ends: [tooLarge, { text: 'aaa' }],
  },
  'XLSX: one text of 1 MB in a thousand cells': {
    kind: 'xlsx',
    make: () =>
      workbookOf({
        strings: `<si><t>${'a'.repeat(megabyte)}</t></si>`,
        sheet: rowsOf(1_000, (n) => `<row r="${n}">${cell(`A${n}`, 0, 't="s"')}</row>`),
      }),
    ends: [tooLarge],
  },
  'XLSX: ten million texts': {
    kind: 'xlsx',
    make: () =>
      workbookOf({
        strings: '<si/>'.repeat(10_000_000),
        sheet: rowsOf(1, () => `<row r="1">${cell('A1', 'Slate', 't="str"')}</row>`),
      }),
    ends: [tooLarge, { text: 'Slate' }],
  },
  'XLSX: a million empty rows': {
    kind: 'xlsx',
    make: () =>
      workbookOf({
        sheet: rowsOf(
          1_048_576,
          (n) => `<row r="${n}">${n === 1 ? cell('A1', 'Slate', 't="str"') : ''}</row>`,
        ),
      }),
    ends: [{ text: 'Slate' }],
  },
  'XLSX: a size that is not the sheet’s': {
    kind: 'xlsx',
    make: () =>
      workbookOf({
        sheet: `<dimension ref="A1:XFD1048576"/>${rowsOf(1, () => `<row r="1">${cell('XFD1', 'Slate', 't="str"')}</row>`)}`,
      }),
    ends: [{ text: 'Slate' }],
  },
  'XLSX: a row and a column that no sheet has': {
    kind: 'xlsx',
    make: () =>
      workbookOf({
        sheet: rowsOf(1, () => `<row r="2000000000">${cell('ZZZZZZ2000000000', 'Slate', 't="str"')}</row>`),
      }),
    ends: [tooLarge, unreadable, { text: 'Slate' }, { text: '' }],
  },
  'XLSX: columns and merged cells without end': {
    kind: 'xlsx',
    make: () =>
      workbookOf({
        sheet: `<cols>${'<col min="1" max="2000000000" width="9"/>'.repeat(1_000)}</cols>${rowsOf(1, () => `<row r="1">${cell('A1', 'Slate', 't="str"')}</row>`)}<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(10_000)}</mergeCells>`,
      }),
    ends: [tooLarge, { text: 'Slate' }],
  },
  'XLSX: columns that are hidden 300,000 times': {
    kind: 'xlsx',
    make: () =>
      workbookOf({
        sheet: `<cols>${'<col min="1" max="16383" hidden="1"/>'.repeat(300_000)}</cols>${rowsOf(1, () => `<row r="1">${cell('XFD1', 'Slate', 't="str"')}</row>`)}`,
      }),
    ends: [{ text: 'Slate' }],
  },
  'XLSX: a format of a million characters': {
    kind: 'xlsx',
    make: () =>
      workbookOf({
        styles: `<numFmts count="1"><numFmt numFmtId="164" formatCode="${'0'.repeat(megabyte)}"/></numFmts><cellXfs count="1"><xf numFmtId="164"/></cellXfs>`,
        sheet: rowsOf(100, (n) => `<row r="${n}">${cell(`A${n}`, n, 's="0"')}</row>`),
      }),
    ends: [tooLarge, { text: '1' }],
  },
  'XLSX: 70,000 parts': {
    kind: 'xlsx',
    make: () => createZip(Object.fromEntries(Array.from({ length: 70_000 }, (_, n) => [`xl/${n}`, '']))),
    ends: [tooLarge],
  },
  'DOCX: tables in 100,000 tables': {
    kind: 'docx',
    make: () => documentOf({ body: nested('<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>', 100_000) }),
    ends: [tooLarge],
  },
  'DOCX: elements a million deep': {
    kind: 'docx',
    make: () => documentOf({ body: nested('<w:sdt>', '</w:sdt>', 1_000_000) }),
    ends: [tooLarge],
  },
  'DOCX: a ring of 5,000 styles, and as many paragraphs': {
    kind: 'docx',
    make: () =>
      documentOf({
        styles: Array.from(
          { length: 5_000 },
          (_, n) =>
            `<w:style w:type="paragraph" w:styleId="S${n}"><w:name w:val="s ${n}"/><w:basedOn w:val="S${(n + 1) % 5_000}"/></w:style>`,
        ).join(''),
        body: Array.from({ length: 5_000 }, (_, n) => paragraph('Slate', `S${n}`)).join(''),
      }),
    ends: [tooLarge, { text: 'Slate' }],
  },
  'DOCX: a note of 1 MB that is told 10,000 times': {
    kind: 'docx',
    make: () =>
      documentOf({
        notes: `<w:footnote w:id="1">${paragraph('a'.repeat(megabyte))}</w:footnote>`,
        body: `<w:p>${'<w:r><w:footnoteReference w:id="1"/></w:r>'.repeat(10_000)}</w:p>`,
      }),
    ends: [tooLarge],
  },
  'DOCX: entities of entities': {
    kind: 'docx',
    make: () =>
      documentOf({
        prolog: `<!DOCTYPE d [<!ENTITY a "Slate">${Array.from({ length: 9 }, (_, n) => `<!ENTITY ${'abcdefghij'[n + 1]} "${`&${'abcdefghij'[n]};`.repeat(10)}">`).join('')}]>`,
        body: paragraph('&j;'),
      }),
    ends: [unreadable, tooLarge, { text: '' }],
  },
  'DOCX: a million attributes': {
    kind: 'docx',
    make: () =>
      documentOf({ body: `<w:p ${Array.from({ length: 1_000_000 }, (_, n) => `a${n}="${n}"`).join(' ')}/>` }),
    ends: [tooLarge, unreadable, { text: '' }],
  },
};
