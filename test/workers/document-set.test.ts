import { Document, Packer, PageBreak, Paragraph, TextRun } from 'docx';
import { afterAll, beforeAll, expect, test } from 'vitest';
import readDocument from '../../src/workers/documents/read-document.ts';
import { type BrowserBench, startBrowserBench } from '../support/browser.ts';
import { type DocumentFile, printDocuments, writeDocuments, writePdf } from '../support/document-set.ts';

let bench: BrowserBench;
let files: Record<string, DocumentFile>;
beforeAll(async () => {
  bench = await startBrowserBench();
  const printed = await bench.withPage({}, (page) => printDocuments(page));
  files = { ...printed, ...(await writeDocuments()) };
});
afterAll(() => bench[Symbol.asyncDispose]());

const wordsOf = (text: string): string[] =>
  // Scripts without spaces: each character is a word.
  text.match(/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|[\p{L}\p{N}\p{M}]+/gu) ?? [];

/** Of the words of a text: the share that another has too, in the same order (longest common subsequence). */
function recallInOrder(truth: string, found: string): number {
  const [asked, given] = [wordsOf(truth), wordsOf(found)];
  let above = new Uint16Array(given.length + 1);
  for (const word of asked) {
    const line = new Uint16Array(given.length + 1);
    for (const [at, other] of given.entries()) {
      line[at + 1] =
        word === other ? (above[at] as number) + 1 : Math.max(above[at + 1] as number, line[at] as number);
    }
    above = line;
  }
  return (above[given.length] as number) / asked.length;
}

async function read({ kind, content }: Pick<DocumentFile, 'kind' | 'content'>) {
  const isText = typeof content === 'string';
  const task = {
    kind,
    bytes: isText ? null : content,
    text: isText ? content : '',
    url: 'http://a.example/',
    contentType: null,
  };
  return (await readDocument(task)).page;
}

test('of what programs have written, at least 98 % of the words are read, in their order', async () => {
  const recalls: [string, number, number][] = [];
  for (const [name, file] of Object.entries(files)) {
    const { text } = await read(file);
    const extra = wordsOf(text).length / wordsOf(file.text).length;
    recalls.push([name, recallInOrder(file.text, text), extra]);
  }
  expect(recalls.length).toBeGreaterThanOrEqual(20);
  expect(recalls.filter(([, recall, extra]) => recall < 0.98 || extra > 1.1)).toEqual([]);
});

const tables = (html: string) => [...html.matchAll(/<t[hd]>(.*?)<\/t[hd]>/g)].map(([, text]) => text);
const drawn = async (draw: Parameters<typeof writePdf>[0]) =>
  await read({ kind: 'pdf', content: await writePdf(draw) });

test('cells that are drawn row by row are a table, whatever stands between the rows', async () => {
  const bill = [
    ['Item', 'Number', 'What it is for'],
    ['Slate', '3', 'the roof of the house'],
    ['Marble', '12', 'the floor of the hall'],
    ['Sand', '40', 'the walls of the yard'],
    ['Lime', '7', 'the walls of the house'],
  ];
  for (const pitch of [12, 25]) {
    const { html } = await drawn((file) => {
      file.fontSize(10);
      for (const [row, cells] of bill.entries()) {
        for (const [at, cell] of cells.entries())
          file.text(cell, [60, 250, 400][at], 120 + row * pitch, { lineBreak: false });
      }
    });
    expect(tables(html)).toEqual(bill.flat());
  }
  const printed = await read(files['Chromium: a table over several pages'] as DocumentFile);
  expect(tables(printed.html)).toHaveLength(180);
});

test('heads and page numbers are taken out of pages of text, and nothing of tickets', async () => {
  const pages = (
    count: number,
    draw: (file: Parameters<Parameters<typeof writePdf>[0]>[0], at: number) => void,
  ) =>
    drawn((file) => {
      for (let at = 0; at < count; at++) draw(at === 0 ? file : file.addPage(), at);
    });
  const tickets = await pages(4, (file, at) =>
    file
      .text('Concert')
      .text(`Row ${at * 7}`)
      .text(`No. ${4711 + at}`),
  );
  for (const text of ['Concert', 'Row 21', 'No. 4714']) expect(tickets.text).toContain(text);
  const report = await pages(4, (file, at) => {
    file.text('Annals of the quarry').text(`Stones: ${at * 17 + 3} million`);
    for (let line = 0; line < 6; line++) file.text(`${line} blocks were split on day ${at}.`);
    file.text(`Page ${at + 41} of 44`);
  });
  expect(report.text).toContain('Stones: 54 million');
  expect(report.text).not.toMatch(/Annals|Page/);
});

test.each([90, -90, 20])('text that is turned by %d degrees is read line by line', async (angle) => {
  const { text } = await drawn((file) => {
    file
      .rotate(angle, { origin: [300, 400] })
      .text('The first of the lines.\nThe second.\nThe third.', 200, 380);
  });
  expect(text).toBe('The first of the lines. The second. The third.');
});

test('numbers of clauses are kept, as a list where they count on', async () => {
  const { html } = await drawn((file) => {
    file.fontSize(11);
    for (const text of ['1. First', 'a) one', 'b) two', '2. Second', '10. Tenth', '11. Next', '12. Last'])
      file.text(text);
    file.moveDown().text('It was in March.').moveDown().text('12. Payment').moveDown().text('At once.');
    for (const text of ['* * *', '— Sí —dijo ella.']) file.moveDown().text(text);
  });
  const ended = '<ol start="10">\n<li>Tenth</li>\n<li>Next</li>\n<li>Last</li>\n</ol>';
  const single = ['It was in March.', '12. Payment', 'At once.', '* * *', '— Sí —dijo ella.'];
  expect(html).toBe(
    [
      '<p>1. First</p>\n<ul>\n<li>a) one</li>\n<li>b) two</li>\n</ul>\n<p>2. Second</p>',
      ended,
      ...single.map((text) => `<p>${text}</p>`),
    ].join('\n'),
  );
});

test('a line that only begins with a number goes on with its paragraph', async () => {
  const lines = ['The parties have agreed on what is told in number', '12. and they agree to it.'];
  const { text } = await drawn((file) => void file.text(lines.join('\n')));
  expect(text).toBe(lines.join(' '));
});

test('entries of a table of contents are apart, names with a hyphen whole', async () => {
  const { html } = await drawn((file) => {
    for (const text of ['1 Stones ............ 3', '2 Roofs . . . . . . . . 12']) file.text(text);
    file.text('The roofs of this town are of the Anglo-').text('Saxon kind.');
  });
  expect(html).toBe(
    '<p>1 Stones ............ 3</p>\n<p>2 Roofs . . . . . . . . 12</p>\n<p>The roofs of this town are of the Anglo-Saxon kind.</p>',
  );
});

const readText = async (text: string, contentType: string | null = null) => {
  const task = { kind: 'text' as const, bytes: null, text, url: 'http://a.example/a', contentType };
  return (await readDocument(task)).page.html;
};

test('lines of plain text in Japanese are joined at their margin, without a space', async () => {
  const sentence = '屋根に使う石は、山から切り出したあと、濡れているうちに薄く割らなければならない。';
  const lines = (sentence.repeat(4).match(/.{1,36}/gu) ?? []).join('\n');
  const { html } = await read({ kind: 'text', content: `${lines}\n\n割る。\n積む。` });
  expect(html).toBe(`<p>${sentence.repeat(4)}</p>\n<p>割る。<br>積む。</p>`);
});

test('columns of plain text, and JSON that is none, keep their lines', async () => {
  const columns = 'Name   Age\nAda     36\nBob      7';
  expect(await readText(columns)).toBe(`<pre><code>${columns}\n</code></pre>`);
  expect(await readText('Roses are red.   And so\nare others.')).toMatch(/^<p>/);
  const lines = '{"a":1}\n{"a":2}';
  expect(await readText(lines, 'application/json')).toBe(
    `<pre><code class="language-json">${lines}\n</code></pre>`,
  );
});

test('notes of a markdown file have no heading that is not its own', async () => {
  expect(await readText('A[^1]\n\n[^1]: b', 'text/markdown')).not.toContain('Footnotes');
});

test.each([
  ['Word', 'Quote', 'Source Code'],
  ['LibreOffice', 'Quotations', 'Preformatted Text'],
])(
  'in documents of %s quotes are quotes, code is code, and a page break parts words',
  async (_, ...names) => {
    const [quote, source] = names.map((name) => ({ id: name.slice(0, 3), name }));
    const document = new Document({
      styles: { paragraphStyles: [quote, source].filter((style) => style !== undefined) },
      sections: [
        {
          children: [
            new Paragraph({ text: 'Said so', style: names[0]?.slice(0, 3) }),
            new Paragraph({ text: 'a = 1', style: names[1]?.slice(0, 3) }),
            new Paragraph({ text: '  b = 2', style: names[1]?.slice(0, 3) }),
            new Paragraph({ children: [new TextRun('one'), new PageBreak(), new TextRun('two')] }),
          ],
        },
      ],
    });
    const { html } = await read({ kind: 'docx', content: await Packer.toBuffer(document) });
    expect(html).toBe(
      '<blockquote>\n<p>Said so</p>\n</blockquote>\n<pre><code>a = 1\n  b = 2\n</code></pre>\n<p>one<br>two</p>',
    );
  },
);

test.each([null, 'Microsoft Word - report-2.docx', 'untitled'])(
  'where a PDF states %s for its title, its largest heading at the beginning is it',
  async (stated) => {
    const { title } = await drawn((file) => {
      if (stated !== null) file.info.Title = stated;
      file.fontSize(11).text('Annual report');
      file.fontSize(16).text('On the harbour').fontSize(13).text('Ships');
      file
        .fontSize(10)
        .text('It was a year of many ships and of little wind, and all of them came home. '.repeat(8));
    });
    expect(title).toBe('On the harbour');
  },
);

test('a paragraph goes on at the head of the next column', async () => {
  const column = (end: string, first = 'It is a line of text that fills the column.') => [
    first,
    ...Array<string>(5).fill('it is a line of text that fills the column,'),
    end,
  ];
  const [left, right] = [
    column('and of a word that is cut in two: infor-'),
    column('to its end.', 'mation goes on at the head of the other,'),
  ];
  const { text } = await drawn((file) => {
    file.fontSize(10);
    for (const [at, lines] of [left, right].entries())
      for (const [row, line] of lines.entries())
        file.text(line, 60 + at * 260, 100 + row * 13, { lineBreak: false });
  });
  expect(text).toContain('cut in two: information goes on');
  expect(text).not.toContain('\n');
});

test.each([
  ['text/markdown', 'http://a.example/notes'],
  ['text/plain', 'http://a.example/README.md'],
])('markdown is read as such: %s at %s', async (contentType, url) => {
  const text =
    '---\ntitle: Slate\n---\n# Slate\n\n- one\n  - *two*\n\n```js\na();\n\nb_c();\n```\n\n[on](more.md) <b onclick="x()">and</b>\n\n| a |\n|---|\n| 1 |\n';
  const { page } = await readDocument({ kind: 'text', bytes: null, text, url, contentType });
  expect(page.title).toBe('Slate');
  expect(page.html).toBe(
    '<h1>Slate</h1>\n<ul>\n<li>one \n<ul>\n<li><em>two</em>\n</li>\n</ul>\n</li>\n</ul>\n<pre><code class="language-js">a();\n\nb_c();\n</code></pre>\n<p><a href="http://a.example/more.md">on</a> <b>and</b></p>\n<table>\n<thead>\n<tr>\n<th>a\n</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1\n</td>\n</tr>\n</tbody>\n</table>',
  );
});

test.each([
  ['author: Jane Roe', 'Jane Roe'],
  ["author: 'Jane O''Roe' # of the quarry", "Jane O'Roe"],
  ['authors: [Jane Roe, "John Doe"]', 'Jane Roe, John Doe'],
  ['authors:\n  - name: Jane Roe\n    url: https://a.example/jane\n  - name: John Doe', 'Jane Roe, John Doe'],
  ['author:\n  name: Jane Roe\n  email: jane@a.example', 'Jane Roe'],
  ['author: admin', null],
  ['author: {name: Jane Roe}', null],
  ['author: ~', null],
  ['author: null # nobody', null],
  ['author: &jane Jane', null],
  ['author: >-\n  Jane\n  Roe', 'Jane Roe'],
  ['author: |\n  Jane Roe', 'Jane Roe'],
])('front matter is what a file states of itself: %s', async (authors, byline) => {
  const text = `---\n# Made by hand\ntitle: "Slate: a \\"report\\""\n${authors}\ndate: 2024-03-05\nlang: de\ntags:\n  - stone\n---\n\n# Head\n\nIt splits.\n`;
  const { page } = await readDocument({
    kind: 'text',
    bytes: null,
    text,
    url: 'http://a.example/a.md',
    contentType: null,
  });
  expect(page).toMatchObject({
    title: 'Slate: a "report"',
    byline,
    publishedAt: '2024-03-05',
    language: 'de',
    text: 'Head\n\nIt splits.',
  });
});

test.each([
  '---\n\nIt splits.\n\n---\n',
  '---\nIt splits, as we know: along its layers.\n---\n',
  '---\nNote: this page is out of date.\n\nIt splits all the same.\n---\n# Head\n',
  '---\ntitle: Slate\n\nIt splits all the same.\n---\n# Head\n',
  '---\nNote: It splits.\nWarning: mind the edges.\n---\n# Head\n',
])('what stands between rules is text: %j', async (text) => {
  const { page } = await readDocument({
    kind: 'text',
    bytes: null,
    text,
    url: 'http://a.example/a.md',
    contentType: null,
  });
  expect(page.text).toContain('It splits');
});

test.each(['>', '|', 'null', '~', '{{ page.title }}', '{a: b}', '*other'])(
  'a title that front matter does not state as text is none: %s',
  async (title) => {
    const text = `---\ntitle: ${title}\n---\n# Head\n\nIt splits.\n`;
    const task = {
      kind: 'text',
      bytes: null,
      text,
      url: 'http://a.example/a.md',
      contentType: null,
    } as const;
    expect((await readDocument(task)).page.title).toBe('Head');
  },
);

test('what a program puts for an author is none', async () => {
  const bylineOf = async (author: string) =>
    (
      await drawn((file) => {
        file.info.Author = author;
        file.text('Slate splits along its layers.');
      })
    ).byline;
  expect(await bylineOf('Jane Roe')).toBe('Jane Roe');
  for (const name of ['(anonymous)', 'anonymous', 'python-docx', 'openpyxl', 'Microsoft Office User'])
    expect(await bylineOf(name)).toBeNull();
});

/** A PDF of these objects, the first its catalogue. */
function pdfOf(objects: readonly string[]): Buffer {
  let text = '%PDF-1.7\n';
  const places = objects.map((object, at) => {
    const place = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const list = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const trailer = `trailer\n<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`;
  return Buffer.from(text + list + trailer);
}
const catalogue = '<</Type/Catalog/Pages 2 0 R>>';

/** A Word document whose list of parts says another size of its text, in bytes. */
async function lyingDocument(size: number): Promise<Buffer> {
  const content = Buffer.from(files['docx: a table']?.content ?? '');
  const name = content.lastIndexOf('word/document.xml');
  content.writeUInt32LE(size, name - 46 + 24);
  return content;
}

const manyPages = () => {
  const kids = Array.from({ length: 10_000 }, (_, at) => `${at + 3} 0 R`);
  const page = '<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>';
  return pdfOf([catalogue, `<</Type/Pages/Count 10000/Kids[${kids.join(' ')}]>>`, ...kids.map(() => page)]);
};
const deep = '['.repeat(1_000_000);

test.each<[string, DocumentFile['kind'], () => Buffer | Promise<Buffer>, string, string]>([
  [
    'an encrypted PDF',
    'pdf',
    () => writePdf((file) => file.text('Slate'), { userPassword: 'x' }),
    'unsupported_content',
    'encrypted',
  ],
  [
    'a PDF whose tree of pages is a ring',
    'pdf',
    () => pdfOf([catalogue, '<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>']),
    'unsupported_content',
    'damaged',
  ],
  [
    'a PDF of nested objects',
    'pdf',
    () => pdfOf([`<</Type/Catalog/Pages 2 0 R/X ${deep}>>`]),
    'unsupported_content',
    'damaged',
  ],
  ['a PDF of 10,000 pages', 'pdf', manyPages, 'target_too_large', '10000 pages'],
  [
    'a part that says it unpacks to 200 MB',
    'docx',
    () => lyingDocument(200 * 1_048_576),
    'target_too_large',
    '150 MB',
  ],
  ['a part larger than it says', 'docx', () => lyingDocument(100), 'target_too_large', 'larger than'],
])('%s: %s, its own error', async (_name, kind, make, code, words) => {
  await expect(read({ kind, content: await make() })).rejects.toMatchObject({
    code,
    detail: expect.stringContaining(words),
  });
});
