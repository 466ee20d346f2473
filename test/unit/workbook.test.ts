import { type CellObject, utils, type WorkSheet, write } from '@e965/xlsx';
import { expect, test } from 'vitest';
import readDocument from '../../src/workers/documents/read-document.ts';
import { convertHtml } from '../../src/workers/markdown/make-markdown.ts';

async function read(sheets: Record<string, WorkSheet>, hidden: readonly string[] = []) {
  const book = utils.book_new();
  for (const [name, sheet] of Object.entries(sheets)) utils.book_append_sheet(book, sheet, name);
  book.Workbook = {
    Sheets: book.SheetNames.map((name) => ({ name, Hidden: hidden.includes(name) ? 1 : 0 })),
  };
  const bytes = write(book, { type: 'buffer', bookType: 'xlsx', cellStyles: true }) as Buffer;
  const task = { kind: 'xlsx' as const, bytes, text: '', url: 'http://a.example/b/', contentType: null };
  const { page, warnings } = await readDocument(task);
  return { html: page.html.replace(/\n/g, ''), warnings };
}

const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const head = (...cells: string[]) =>
  `<thead><tr>${cells.map((cell) => `<th>${cell}</th>`).join('')}</tr></thead>`;

test('cells lead where their links and their formulas do', async () => {
  const sheet = utils.aoa_to_sheet([
    ['Stone', 'Where'],
    ['Slate', 'Site'],
    ['Marble', 'Yard'],
    ['Lime', 'Other sheet'],
    ['Sand', 'Script'],
    ['Chalk', 'Day'],
    ['Flint', 'Other book'],
    ['Granite', 'Linked book'],
  ]);
  const linked = (at: string) => sheet[at] as CellObject;
  linked('B2').l = { Target: 'https://c.example/?a=1&b=2' };
  linked('B3').f = 'HYPERLINK("yard.html","Yard")';
  linked('B4').l = { Target: '#Days!A1' };
  linked('B5').l = { Target: 'javascript:alert(1)' };
  linked('B6').f = 'HYPERLINK("#Days!A1","Day")';
  linked('B7').f = 'HYPERLINK("[Book.xlsx]Days!A1","Other book")';
  linked('B8').l = { Target: '[Book.xlsx]Days!A1' };
  const { html } = await read({ Stock: sheet });
  expect(html).toBe(
    `<h2>Stock</h2><table>${head('Stone', 'Where')}<tbody>${row('Slate', '<a href="https://c.example/?a=1&amp;b=2">Site</a>')}${row('Marble', '<a href="http://a.example/b/yard.html">Yard</a>')}${row('Lime', 'Other sheet')}${row('Sand', '<a>Script</a>')}${row('Chalk', 'Day')}${row('Flint', 'Other book')}${row('Granite', 'Linked book')}</tbody></table>`,
  );
});

test('what a workbook hides is left out, and told', async () => {
  const sheet = utils.aoa_to_sheet([
    ['Stone', 'Cost', 'Price'],
    ['Slate', 1, 2],
    ['Marble', 3, 4],
    ['Sand', 5, 6],
  ]);
  sheet['!cols'] = [{}, { hidden: true }];
  sheet['!rows'] = [{}, {}, { hidden: true }];
  const notes = utils.aoa_to_sheet([['Not for clients']]);
  const { html, warnings } = await read({ Stock: sheet, Notes: notes, Days: utils.aoa_to_sheet([['a']]) }, [
    'Notes',
  ]);
  expect(html).toBe(
    `<h2>Stock</h2><table>${head('Stone', 'Price')}<tbody>${row('Slate', '2')}${row('Sand', '6')}</tbody></table><h2>Days</h2><table>${head('a')}</table>`,
  );
  expect(warnings).toEqual([
    {
      code: 'hidden_parts',
      message:
        'The workbook hides parts of itself, which are left out: 1 row and 1 column of the sheet "Stock"; the sheet "Notes".',
    },
  ]);
});

test('a merged cell that begins in what is hidden is shown in the rest of it', async () => {
  const sheet = utils.aoa_to_sheet([
    ['Stock of 2026'],
    ['No', 'Stone', 'Mass'],
    [1, 'Slate', 2],
    [2, null, 4],
    [3, 'Sand', 6],
  ]);
  sheet['!cols'] = [{ hidden: true }];
  sheet['!rows'] = [{}, {}, { hidden: true }];
  sheet['!merges'] = ['A1:C1', 'B3:B4', 'A5:A5'].map(utils.decode_range);
  const { html, warnings } = await read({ Stock: sheet });
  expect(html).toBe(
    `<h2>Stock</h2><p>Stock of 2026</p><table>${head('Stone', 'Mass')}<tbody>${row('Slate', '4')}${row('Sand', '6')}</tbody></table>`,
  );
  expect(warnings).toMatchObject([{ message: expect.stringContaining('1 row and 1 column of the sheet') }]);
});

test('merged cells reach over their columns and rows, a title stands before its table', async () => {
  const sheet = utils.aoa_to_sheet([
    ['Stock of 2026'],
    ['in tons'],
    [],
    ['Stone', 'Mass', null],
    ['Slate', 1, 2],
    [null, 3, 4],
    ['Sand', 5, 6],
  ]);
  sheet['!merges'] = ['A1:C1', 'B4:C4', 'A5:A6'].map(utils.decode_range);
  const { html } = await read({ Stock: sheet });
  expect(html).toBe(
    '<h2>Stock</h2><p>Stock of 2026</p><p>in tons</p><table><thead><tr><th>Stone</th><th colspan="2">Mass</th></tr></thead><tbody><tr><td rowspan="2">Slate</td><td>1</td><td>2</td></tr><tr><td>3</td><td>4</td></tr><tr><td>Sand</td><td>5</td><td>6</td></tr></tbody></table>',
  );
  expect(convertHtml(html, { base: null, links: 'inline', images: true })).toBe(
    '## Stock\n\nStock of 2026\n\nin tons\n\n| Stone | Mass | |\n| - | - | - |\n| Slate | 1 | 2 |\n| | 3 | 4 |\n| Sand | 5 | 6 |',
  );
});

test('tables of one sheet stand apart where empty rows part them', async () => {
  const body = (...rows: string[]) => `<tbody>${rows.join('')}</tbody>`;
  const tablesOf = async (rows: unknown[][]) =>
    (await read({ A: utils.aoa_to_sheet(rows) })).html.replace('<h2>A</h2>', '');
  const stones = `<table>${head('Stone', 'Mass')}${body(row('Slate', '12'))}</table>`;
  const men = `<table>${head('Man', 'Town')}${body(row('Ada', 'Bath'))}</table>`;
  const years = `<table>${head('Man', 'Age')}${body(row('Ada', '36'))}</table>`;
  const [stone, man, age] = [
    [
      ['Stone', 'Mass'],
      ['Slate', 12],
    ],
    [
      ['Man', 'Town'],
      ['Ada', 'Bath'],
    ],
    [
      ['Man', 'Age'],
      ['Ada', 36],
    ],
  ];
  expect(await tablesOf([...stone, [], [], ...man])).toBe(stones + men);
  expect(await tablesOf([...stone, [], ...age])).toBe(stones + years);
  expect(await tablesOf([...stone, [], [], ['The men'], [], ...man])).toBe(`${stones}<p>The men</p>${men}`);
  // Beside each other in other columns, each has its own only.
  const moved = man.map((cells) => [null, null, null, ...cells]);
  expect(await tablesOf([...stone, [], [], ...moved])).toBe(stones + men);
  expect(await tablesOf([...stone, [], ...age, [], [], ...man])).toBe(stones + years + men);
});

test('an empty row within a table parts nothing', async () => {
  const one = async (rows: unknown[][], change: (sheet: WorkSheet) => void = () => undefined) => {
    const sheet = utils.aoa_to_sheet(rows);
    change(sheet);
    return (await read({ A: sheet })).html.match(/<table>/g)?.length;
  };
  const stone = [
    ['Stone', 'Mass'],
    ['Slate', 12],
    ['Lime', 7],
  ];
  expect(await one([...stone, [], ['Sand', 3], ['Ore', 4]])).toBe(1);
  expect(await one([...stone, [], [], ['Sand', 3], ['Ore', 4]])).toBe(1);
  expect(await one([...stone, [], ['Total', 19]])).toBe(1);
  expect(await one([...stone, [], [], ['Source: the quarry']])).toBe(1);
  expect(await one([['Stone', 'Where'], ['Slate', 'Wales'], [], ['Lime', 'Bath'], ['Sand', 'Kent']])).toBe(1);
  expect(await one([['The stock'], [], ['of 2026'], [], ...stone])).toBe(1);
  // Rows that are hidden are no gap, nor are those that a merged cell reaches over.
  const hide = (sheet: WorkSheet) => void (sheet['!rows'] = [{}, {}, { hidden: true }, { hidden: true }]);
  expect(
    await one(
      [
        ['Man', 'Age'],
        ['Ada', 36],
        ['x', 1],
        ['y', 2],
        ['Mary', 'old'],
        ['Eve', 7],
      ],
      hide,
    ),
  ).toBe(1);
  const merge = (sheet: WorkSheet) => void (sheet['!merges'] = [utils.decode_range('A2:A5')]);
  expect(
    await one([['Man', 'Age', 'Day'], ['Ada', 36, 1], [], [], [null, 'old', 'late'], ['Eve', 7, 2]], merge),
  ).toBe(1);
});
