import { expect, test } from 'vitest';
import { blocksToHtml, continueList, toBlocks } from '../../src/workers/documents/pdf-blocks.ts';
import { dropRunningLines, type Page } from '../../src/workers/documents/pdf-running-lines.ts';
import { toReadingOrder } from '../../src/workers/documents/pdf-columns.ts';
import { lineText, toLines } from '../../src/workers/documents/pdf-lines.ts';
import { toSegments } from '../../src/workers/documents/pdf-segments.ts';
import { joinLines, mendLigatures } from '../../src/workers/documents/pdf-text.ts';
import { growthOf } from '../support/growth.ts';

const lineOf = (text: string, y: number) => ({
  segments: [{ text, row: { x: 0, right: 400 }, x: 0, right: 400, y, size: 10 }],
  x: 0,
  right: 400,
  y,
  size: 10,
});

test('an entry of a table of contents ends at its number', () => {
  const lines = [lineOf('One . . . . . . . . 12', 100), lineOf('Two ........... 13', 88), lineOf('x', 76)];
  expect(toBlocks(lines, 10).map((block) => 'text' in block && block.text)).toEqual([
    'One . . . . . . . . 12',
    'Two ........... 13',
    'x',
  ]);
});

test('a line of dots costs in proportion', () => {
  const linesOf = (size: number) => [lineOf(`${'. '.repeat(size)}x`, 100), lineOf('goes on', 88)];
  expect(growthOf(linesOf, (lines) => toBlocks(lines, 10), 1_000)).toBeLessThan(1.6);
});

test('a line that ends before the next one had to begin ends its paragraph', () => {
  const line = (text: string, y: number, size = 10) => {
    const right = text.length * 5;
    return { segments: [{ text, row: { x: 0, right }, x: 0, right, y, size }], x: 0, right, y, size };
  };
  const textsOf = (...lines: ReturnType<typeof line>[]) =>
    toBlocks(lines, 10).map((block) => 'text' in block && block.text);
  const long = (text: string) => `${text} goes on to the margin of the page, or nearly so, as`;
  expect(
    textsOf(
      line('A name', 100),
      line(long('The first paragraph'), 88),
      line('it ends.', 76),
      line(long('Another one'), 64),
    ),
  ).toEqual(['A name', `${long('The first paragraph')} it ends.`, long('Another one')]);
  // Beside a picture lines are shorter.
  expect(textsOf(line('Beside a picture', 100), line(long('it still'), 88))).toHaveLength(1);
  expect(textsOf(line('The report', 100, 20), line('On the slate of the north', 76, 20))).toHaveLength(1);
});

const run = (text: string, x: number, y: number, size = 10, width = text.length * size * 0.5) => ({
  text,
  x,
  y,
  width,
  size,
});
const linesOf = (runs: ReturnType<typeof run>[]) => toReadingOrder(toSegments(runs)).map(toLines);
const textOf = (runs: ReturnType<typeof run>[]) => linesOf(runs).flatMap((lines) => lines.map(lineText));

test('raised and lowered letters stand in the line of their text', () => {
  const formula = [
    run('H', 0, 100),
    run('2', 5, 97.5, 6.5),
    run('O and x', 8.25, 100),
    run('2', 43.25, 103.8, 6.5),
    run(' are written so.', 46.5, 100),
  ];
  expect(textOf(formula)).toEqual(['H2O and x2 are written so.']);
  const scripts = formula.filter(({ size }) => size < 10);
  expect(textOf([...scripts, ...formula.filter(({ size }) => size === 10)])).toEqual(textOf(formula));
  // A library writes a space of its own size behind them.
  const spaced = [
    run('The area is x', 0, 100),
    run('i', 65, 97.7, 7, 2),
    run('2', 65, 103.7, 7, 4),
    run(' ', 69, 103.7, 7, 3),
    run('+ y', 72, 100),
  ];
  expect(textOf(spaced)).toEqual(['The area is xi2 + y']);
  const both = [
    run('The sum of a', 0, 100),
    run('i', 60, 97, 6),
    run(' b', 63, 100),
    run('n', 73, 104.8, 7),
    run('k', 76.5, 107.5, 5),
    run(' and', 79, 100),
    run('The next line', 0, 88),
    run('3', 65, 92.5, 6),
  ];
  expect(textOf(both)).toEqual(['The sum of ai bnk and', 'The next line3']);
});

test('small text beside a large letter or below a heading has a line of its own', () => {
  const initial = [
    run('T', 0, 76, 40, 24),
    run('he quarry is old and has', 26, 100),
    run('been for a hundred years', 26, 88),
  ];
  expect(textOf(initial)).toContain('he quarry is old and has');
  expect(textOf([run('Slate', 0, 100, 20), run('A report', 0, 86, 10)])).toEqual(['Slate', 'A report']);
  for (const size of [20, 22, 24]) {
    const low = [
      run('T', 0, 88, size, 14),
      run('he quarry is old and has', 15, 100, 11),
      run('been for a hundred years', 15, 88, 11),
    ];
    expect(textOf(low)[0]).toBe('he quarry is old and has');
    const words = [
      run('T', 0, 88, size, 14),
      run('he', 15, 100, 11, 11),
      run(' end', 26, 100, 11, 22),
      run('of', 15, 88, 11, 11),
      run(' it', 26, 88, 11, 16),
    ];
    expect(textOf(words)[0]).toBe('he end');
  }
  const sum = [run('Total', 0, 100, 16), run('with', 42, 107, 8), run(' all taxes', 58, 107, 8)];
  expect(textOf([...sum, run('and the carriage', 42, 93, 8)])).toEqual([
    'with all taxes',
    'Total',
    'and the carriage',
  ]);
});

test('two short columns below a heading are read one after the other', () => {
  const left = ['Slate is split along the', 'planes in which it lay as', 'mud before the mountain.'];
  const right = ['Marble is sawn by those', 'who wait for the blade to', 'come down through it.'];
  const column = (lines: string[], x: number) => lines.map((text, at) => run(text, x, 100 - at * 12));
  const runs = [run('Two stones of the north', 0, 130, 16), ...column(left, 0), ...column(right, 150)];
  expect(textOf(runs)).toEqual(['Two stones of the north', ...left, ...right]);
  // Drawn row by row, or of labels, they are cells.
  const rows = left.flatMap((text, at) => [
    run(text, 0, 100 - at * 12),
    run(right[at] ?? '', 150, 100 - at * 12),
  ]);
  expect(linesOf(rows)).toHaveLength(1);
  const labels = column(['Number of the bill', 'Day of the delivery', 'Name of the customer'], 0);
  const values = column(['2026-0417 of March', '14 March of this year', 'The slate company'], 150);
  expect(linesOf([...labels, ...values])).toHaveLength(1);
});

test('a word or a span of years that a line breaks at its hyphen stays whole', () => {
  const full = (text: string, y: number) => rowOf(y, [0, text]);
  const next = 'a hundred men were at work in the upper gallery.';
  expect(joinLines(['The men of 3 -', '9 of them'])).toBe('The men of 3 - 9 of them');
  for (const [end, start, joined] of [
    ['1900-', '1910', '1900-1910'],
    ['1900\u2013', '1910', '1900\u20131910'],
    ['Mid-', 'Wales', 'Mid-Wales'],
    ['a 5-', 'year', 'a 5-year'],
    ['the quar-', 'ries', 'the quarries'],
  ]) {
    const lines = [full(`In the years ${end}`, 100), full(`${start} ${next}`, 88)];
    expect(toBlocks(lines, 10)).toEqual([{ kind: 'paragraph', text: `In the years ${joined} ${next}` }]);
  }
});

/** Pages of text, each with its further lines. */
function pagesOf(count: number, further: (page: number) => ReturnType<typeof rowOf>[], first = 1): Page[] {
  const body = (page: number) =>
    Array.from({ length: 30 }, (_, at) =>
      rowOf(680 - at * 12, [50, `Line ${at} of ${page * 7} is like no other.`]),
    );
  return Array.from({ length: count }, (_, at) => {
    const number = first + at;
    return { number, columns: [[...further(number), ...body(number)].toSorted((a, b) => b.y - a.y)] };
  });
}
/** What is left of the further lines. */
function leftOf(pages: Page[]): string[] {
  dropRunningLines(pages);
  const texts = pages.flatMap(({ columns }) => columns.flat().map(lineText));
  return texts.filter((text) => !text.startsWith('Line '));
}
const foot = (text: string) => rowOf(300, [200, text]);
const head = (text: string) => rowOf(720, [200, text]);
const romanOf = (number: number) =>
  ['i', 'ii', 'iii', 'iv', 'v', 'vi', 'vii', 'viii', 'ix', 'x', 'xi'][number - 1] ?? '';

test('page numbers are Roman in front of a book, and begin anew behind that', () => {
  expect(leftOf(pagesOf(3, (page) => [foot(romanOf(page))]))).toEqual([]);
  expect(leftOf(pagesOf(11, (page) => [foot(`– ${romanOf(page)} –`)]))).toEqual([]);
  const mixed = (page: number) => [foot(page <= 4 ? romanOf(page - 1) : `Page ${page - 4}`)];
  expect(leftOf(pagesOf(20, mixed)).filter((text) => text !== '')).toEqual([]);
  expect(leftOf(pagesOf(2, (page) => [foot(String(page + 116))]))).toEqual([]);
  const inHead = (page: number) => [
    head(page % 2 === 0 ? `${romanOf(page)} Preface` : `Preface ${romanOf(page)}`),
  ];
  expect(leftOf(pagesOf(9, inHead))).toEqual([]);
});

test('what only looks like a page number is kept', () => {
  expect(leftOf(pagesOf(6, (page) => (page < 3 ? [foot('12')] : [])))).toEqual(['12', '12']);
  expect(leftOf(pagesOf(6, (page) => (page === 1 ? [head('I')] : [])))).toEqual(['I']);
  expect(leftOf(pagesOf(6, (page) => (page === 2 ? [foot('civil'), head('mix')] : [])))).toEqual([
    'mix',
    'civil',
  ]);
});

test('running heads that change by chapter are taken out, and the rarer of two', () => {
  const chapterOf = (page: number) =>
    `On the ${['slate', 'marble', 'lime', 'sand', 'clay', 'ore', 'salt'][Math.floor(page / 4)]}`;
  expect(leftOf(pagesOf(24, (page) => [head(chapterOf(page))], 4))).toEqual([]);
  expect(leftOf(pagesOf(24, (page) => [head(`${chapterOf(page)} ${page + 9}`)], 4))).toEqual([]);
  const alternating = (page: number) => [head(page % 2 === 0 ? 'The quarry' : chapterOf(page))];
  expect(leftOf(pagesOf(24, alternating, 4))).toEqual([]);
  const rare = (page: number) => [head(page < 18 ? 'The quarry' : 'Index')];
  expect(leftOf(pagesOf(20, rare))).toEqual([]);
  const two = (page: number) => [rowOf(732, [60, 'Annals of the north']), head(chapterOf(page))];
  expect(leftOf(pagesOf(12, two, 4))).toEqual([]);
});

test('headings and numbers of a few pages are kept, where other pages have no head', () => {
  const some = (count: number, texts: Record<number, string>) =>
    leftOf(pagesOf(count, (page) => (texts[page] === undefined ? [] : [head(texts[page])])));
  const same = { 4: 'Results and discussion', 5: 'Results and discussion', 6: 'Results and discussion' };
  expect(some(9, same)).toEqual(Object.values(same));
  expect(some(9, { 2: 'Exercises', 4: 'Exercises' })).toEqual(['Exercises', 'Exercises']);
  const lessons = { 5: 'Lesson 5', 6: 'Lesson 6', 7: 'Lesson 7' };
  expect(some(9, lessons)).toEqual(Object.values(lessons));
  const feet = (last: number, y: number) =>
    leftOf(pagesOf(20, (page) => (page > 3 && page <= last ? [rowOf(y, [50, `${page + 9}`])] : [])));
  expect(feet(5, 300)).toEqual(['13', '14']);
  expect(feet(6, 320)).toEqual(['13', '14', '15']);
  expect(feet(6, 300)).toEqual([]);
});

test('content that pages near each other repeat is kept', () => {
  const some = (lines: (page: number) => ReturnType<typeof rowOf>[]) =>
    leftOf(pagesOf(20, (page) => (page >= 5 && page <= 7 ? lines(page) : []))).length;
  expect(some(() => [rowOf(692, [50, 'Name of the applicant'])])).toBe(3);
  expect(some(() => [{ ...head('Results'), size: 16 }])).toBe(3);
  expect(some(() => [rowOf(720, [50, 'Stone'], [200, 'Mass'], [300, 'Place'])])).toBe(3);
  const table = (page: number) =>
    ['Stone', 'Slate', 'Lime', 'Sand'].map((text, at) =>
      rowOf(720 - at * 12, [50, text], [200, at === 0 ? 'Mass' : String(page * at)]),
    );
  expect(leftOf(pagesOf(6, table)).filter((text) => text === 'Stone Mass')).toHaveLength(6);
  expect(leftOf(pagesOf(6, () => [rowOf(720, [50, 'Annals'], [200, 'Volume 3'])]))).toEqual([]);
  expect(leftOf(pagesOf(20, (page) => (page === 5 || page === 6 ? [head('Notes')] : [])))).toHaveLength(2);
  expect(some((page) => [head(`Chapter of ${page * page}`)])).toBe(3);
});

test('lines of Chinese and Japanese are joined without a space', () => {
  expect(joinLines(['割られた石は、', '屋根に使う。', 'Slate 石', 'and'])).toBe(
    '割られた石は、屋根に使う。 Slate 石 and',
  );
});

/** A line of cells: what each says and where it begins. */
const rowOf = (y: number, ...cells: [x: number, text: string][]) => {
  const segments = cells.map(([x, text]) => {
    const right = x + text.length * 5;
    return { text, row: { x, right }, x, right, y, size: 10 };
  });
  return { segments, x: cells[0]?.[0] ?? 0, right: segments.at(-1)?.right ?? 0, y, size: 10 };
};

test('the further lines of a cell belong to its row', () => {
  const lines = [
    rowOf(200, [0, 'Item'], [100, 'Count'], [150, 'Remark']),
    rowOf(182, [0, 'Slate'], [100, '3'], [150, 'for the roof']),
    rowOf(170, [150, 'of the house']),
    rowOf(152, [0, 'Lime'], [100, '7'], [150, 'for the yard']),
    rowOf(120, [0, 'That is all that was ordered.']),
  ];
  expect(toBlocks(lines, 10)).toEqual([
    {
      kind: 'table',
      rows: [
        ['Item', 'Count', 'Remark'],
        ['Slate', '3', 'for the roof of the house'],
        ['Lime', '7', 'for the yard'],
      ],
    },
    { kind: 'paragraph', text: 'That is all that was ordered.' },
  ]);
});

test('items that are indented further stand below the one before', () => {
  const lines = [
    rowOf(200, [20, '1. Open the box']),
    rowOf(188, [40, '• remove the paper']),
    rowOf(176, [40, '• keep the screws']),
    rowOf(164, [20, '2. Turn it on']),
    rowOf(140, [0, 'Done.']),
  ];
  expect(blocksToHtml(toBlocks(lines, 10)).replaceAll('\n', '')).toBe(
    '<ol><li>Open the box<ul><li>remove the paper</li><li>keep the screws</li></ul></li><li>Turn it on</li></ol><p>Done.</p>',
  );
});

test('a list that goes on in a column with another left edge stays one', () => {
  const left = toBlocks(
    [rowOf(200, [0, 'Steps.']), rowOf(180, [20, '4. Cut']), rowOf(168, [20, '5. Sand'])],
    10,
  );
  const right = toBlocks(
    [rowOf(200, [320, '6. Oil']), rowOf(188, [320, '7. Dry']), rowOf(170, [300, 'Done.'])],
    10,
  );
  continueList(left, right);
  expect(blocksToHtml([...left, ...right]).replaceAll('\n', '')).toBe(
    '<p>Steps.</p><ol start="4"><li>Cut</li><li>Sand</li><li>Oil</li><li>Dry</li></ol><p>Done.</p>',
  );
});

test('ligatures whose letters have their bytes exchanged are read', () => {
  expect(mendLigatures('speci昀椀cation, di昀昀icult, 昀氀at')).toBe('specification, difficult, flat');
  expect(mendLigatures('昀 and 椀; 天昀椀地')).toBe('昀 and 椀; 天昀椀地');
});

test('a line may have any number of runs', () => {
  const runs = Array.from({ length: 150_000 }, (_, at) => run('a', at, 100, 10, 1));
  expect(toSegments(runs)).toHaveLength(1);
});

test('an item whose bullet is larger than its text is an item', () => {
  const blocksOf = (runs: ReturnType<typeof run>[]) => linesOf(runs).flatMap((lines) => toBlocks(lines, 10));
  const item = { kind: 'item', mark: '•', text: 'Slate splits along its layers' };
  expect(blocksOf([run('•', 0, 100, 12, 4), run(' Slate splits along its layers', 10, 100)])).toMatchObject([
    item,
  ]);
  // Set far apart they are two segments.
  expect(blocksOf([run('•', 0, 100, 12, 4), run('Slate splits along its layers', 24, 100)])).toMatchObject([
    item,
  ]);
  expect(blocksOf([run('• Slate splits along its layers', 0, 100, 14)])).toMatchObject([item]);
  expect(blocksOf([run('1. Slate', 0, 100, 14)])).toMatchObject([{ kind: 'heading', text: '1. Slate' }]);
  expect(blocksOf([run('Slate', 0, 100, 14), run('2', 36, 104, 9)])).toMatchObject([{ kind: 'heading' }]);
});

test('cells that stand close together are parted where those of other rows begin or end', () => {
  const rowsOf = (runs: ReturnType<typeof run>[]) =>
    linesOf(runs).flatMap((lines) =>
      toBlocks(lines, 10).map((block) => ('rows' in block ? block.rows : block.kind)),
    );
  const table = (places: (cell: string, column: number) => number) =>
    [
      ['Name', 'Qty', 'Price'],
      ['Apple pie', '3', '1.20'],
      ['Pear', '10', '0.80'],
      ['Fig', '7', '12.00'],
    ].map((cells, row) => cells.map((cell, n) => run(cell, places(cell, n), 100 - 14 * row)));
  const cells = (runs: ReturnType<typeof run>[][]) => runs.map((row) => row.map(({ text }) => text));
  const left = table((_, n) => [0, 55, 82][n] as number);
  expect(rowsOf(left.flat())).toEqual([cells(left)]);
  const right = table((cell, n) => (n === 0 ? 0 : ([0, 75, 109][n] as number) - cell.length * 5));
  expect(rowsOf(right.flat())).toEqual([cells(right)]);
  // A wide space in a cell, and lines that fill their column.
  const told = ['is split with a', 'is sawn by a', 'is burnt in a'].flatMap((text, row) => [
    run(['Slate', 'Marble', 'Clay'][row] as string, 0, 100 - 14 * row),
    run(text, 80, 100 - 14 * row),
    run('quarryman', 205, 100 - 14 * row + 0, 10, 45),
  ]);
  for (const one of told) if (one.text.endsWith(' a')) one.width = 118 - (one.text.length % 3);
  expect(rowsOf(told)).toEqual([
    [
      ['Slate', 'is split with a quarryman'],
      ['Marble', 'is sawn by a quarryman'],
      ['Clay', 'is burnt in a quarryman'],
    ],
  ]);
});

test('lines of running text have no cells, however wide their spaces', () => {
  const line = (row: number) =>
    ['Slate is split', 'along its layers,', 'and so it lies flat'].map((text, n) =>
      run(text, n * 100 + row * 3, 100 - 12 * row, 10, 92),
    );
  expect(textOf([0, 1, 2, 3].flatMap(line))).toHaveLength(4);
  expect(
    linesOf([0, 1, 2, 3].flatMap(line))
      .flatMap((lines) => toBlocks(lines, 10))
      .every(({ kind }) => kind === 'paragraph'),
  ).toBe(true);
});

/** Lines of cells at these places and heights. */
const blocksOf = (places: readonly number[], rows: readonly (readonly [y: number, ...cells: string[]])[]) =>
  linesOf(
    rows.flatMap(([y, ...cells]) =>
      cells.flatMap((cell, at) => (cell === '' ? [] : [run(cell, places[at] as number, y)])),
    ),
  ).flatMap((lines) => toBlocks(lines, 10));

test('cells that stand close together in three rows are a table', () => {
  const years = [
    [100, 'Year', 'Riders'],
    [82, '2022', '1.2 m'],
    [64, '2023', '1.4 m'],
  ] as const;
  const rows = years.map(([, ...cells]) => cells);
  expect(blocksOf([100, 132], years)).toEqual([{ kind: 'table', rows }]);
  expect(blocksOf([100, 132], years.slice(1))).not.toContainEqual(expect.objectContaining({ kind: 'table' }));
});

test.each([
  [
    'chapters by their numbers',
    [100, 125],
    [
      [100, '1.1', 'Slate'],
      [88, '1.2', 'Marble'],
      [76, '1.3', 'Sand'],
    ],
  ],
  [
    'sources by theirs',
    [100, 125],
    [
      [100, '[1]', 'Slate'],
      [88, '[2]', 'Marble'],
      [76, '[3]', 'Sand'],
    ],
  ],
  [
    'items by theirs',
    [100, 120],
    [
      [100, '1.', 'Slate'],
      [88, '2.', 'Marble'],
      [76, '3.', 'Sand'],
    ],
  ],
  ...['✓', '➢', '→', '☐', '»', '>', '+', '§', 'Ø'].map(
    (sign) =>
      [
        `items behind ${sign}`,
        [100, 115],
        [
          [100, sign, 'Slate'],
          [88, sign, 'Marble'],
          [76, sign, 'Sand'],
        ],
      ] as const,
  ),
] as const)('%s are no table', (_, places, rows) => {
  expect(blocksOf(places, rows)).not.toContainEqual(expect.objectContaining({ kind: 'table' }));
});

test('a space of a font whose characters are of one width parts no cells, wider gaps do', () => {
  const blocksAt = (gap: number) => {
    const rows = ['import os', 'import re', 'import io'].map((line, at) => {
      const [word = '', name = ''] = line.split(' ');
      return [word, name].map((text, n) => ({
        ...run(text, n === 0 ? 100 : 136 + gap, 100 - 12 * at, 10, 6 * text.length),
        isFixed: true,
      }));
    });
    return linesOf(rows.flat()).flatMap((lines) => toBlocks(lines, 10));
  };
  const table = expect.objectContaining({ kind: 'table' });
  expect(blocksAt(6.02)).not.toContainEqual(table);
  expect(blocksAt(12)).toContainEqual(table);
});

test('prose with wide gaps between its words is no table', () => {
  const lines = [
    'It splits along its layers and',
    'is laid upon roofs in the rain',
    'so that it holds for many ages',
  ];
  const runs = lines.flatMap((line, at) => {
    let x = 100;
    return line.split(' ').map((word) => {
      const one = run(word, x, 100 - at * 12);
      x += one.width + 9;
      return one;
    });
  });
  expect(linesOf(runs).flatMap((one) => toBlocks(one, 10))).toEqual([
    { kind: 'paragraph', text: lines.join(' ') },
  ]);
});

test('a row of which several cells are broken is one, where rows stand further apart', () => {
  const names = ['What it is', 'On the roof', 'In the hall'] as const;
  const row = ['Slate that is split by hand', 'It is laid in the rain', 'It is laid on sand'] as const;
  const places = [0, 150, 300];
  expect(
    blocksOf(places, [
      [100, ...names],
      [82, 'Slate that is', 'It is laid', 'It is laid'],
      [70, 'split by hand', 'in the rain', 'on sand'],
      [52, 'Sand', 'None', 'Much'],
    ]),
  ).toEqual([{ kind: 'table', rows: [names, row, ['Sand', 'None', 'Much']] }]);
  const single = [
    names,
    ['a split stone', 'of the north', 'is used'],
    ['a sawn stone', 'of the south', 'is not'],
  ];
  for (const pitch of [12, 20]) {
    const rows = single.map((cells, at) => [100 - at * pitch, ...cells] as const);
    expect(blocksOf(places, rows)).toEqual([{ kind: 'table', rows: single }]);
  }
});
