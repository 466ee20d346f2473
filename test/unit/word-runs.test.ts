import { expect, test } from 'vitest';
import readDocument from '../../src/workers/documents/read-document.ts';
import { dropHidden, openFields, tellEquations } from '../../src/workers/documents/word-runs.ts';
import { styleOutline } from '../../src/workers/documents/word-outline.ts';
import { growthOf } from '../support/growth.ts';
import { createZip } from '../support/zip.ts';

const office = 'http://schemas.openxmlformats.org';
const spaces = `xmlns:w="${office}/wordprocessingml/2006/main" xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml" xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office"`;
const styles = `<w:styles ${spaces}>${[
  ['Heading2', 'heading 2', ''],
  ['Part', "Ada's part", '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'],
  ['Own', 'Own heading', '<w:basedOn w:val="Heading2"/>'],
  ['Plain', 'Plain heading', '<w:basedOn w:val="Heading2"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>'],
]
  .map(
    ([id, name, more]) =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`,
  )
  .join('')}</w:styles>`;

async function read(...paragraphs: string[]) {
  const bytes = createZip({
    '[Content_Types].xml': `<Types xmlns="${office}/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `<Relationships xmlns="${office}/package/2006/relationships"><Relationship Id="r" Type="${office}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/styles.xml': styles,
    'word/document.xml': `<w:document ${spaces}><w:body>${paragraphs.map((one) => `<w:p>${one}</w:p>`).join('')}</w:body></w:document>`,
  });
  const task = { kind: 'docx' as const, bytes, text: '', url: 'http://a.example/', contentType: null };
  const { page, warnings } = await readDocument(task);
  return { html: page.html, warned: warnings.map(({ code }) => code) };
}
const run = (text: string, properties = ''): string =>
  `<w:r>${properties === '' ? '' : `<w:rPr>${properties}</w:rPr>`}<w:t xml:space="preserve">${text}</w:t></w:r>`;

test('paragraphs of an outline level are headings, by their style or by themselves', async () => {
  const styled = (id: string): string => `<w:pPr><w:pStyle w:val="${id}"/></w:pPr>${run(id)}`;
  const own = `<w:pPr><w:keepNext/><w:outlineLvl w:val="2"/></w:pPr>${run('Third')}`;
  const was = `<w:pPr><w:pPrChange w:id="1" w:author="A"><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:pPrChange></w:pPr>${run('Was one')}`;
  const { html } = await read(styled('Part'), styled('Own'), styled('Plain'), own, was);
  expect(html).toBe('<h1>Part</h1>\n<h2>Own</h2>\n<p>Plain</p>\n<h3>Third</h3>\n<p>Was one</p>');
});

test('hidden text is left out, and told', async () => {
  const shown = run('kept', '<w:vanish w:val="0"/>');
  expect(await read(run('Seen, ') + run('not seen, ', '<w:b/><w:vanish/>') + shown)).toEqual({
    html: '<p>Seen, kept</p>',
    warned: ['hidden_parts'],
  });
  expect((await read(run('Seen') + shown)).warned).toEqual([]);
});

test('boxes are ticked or not, at the head of an item and elsewhere', async () => {
  const box = (value: number): string =>
    `<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="${value}"/></w14:checkbox></w:sdtPr><w:sdtContent>${run('☒')}</w:sdtContent></w:sdt>`;
  expect((await read(box(1) + run(' split'), box(0) + run(' stacked'))).html).toBe(
    '<p>☒ split</p>\n<p>☐ stacked</p>',
  );
});

test('where an equation of another program stands is told, by its words where it has some', async () => {
  const equation = (program: string, alt = ''): string =>
    `<w:r><w:object><v:shape${alt}><v:imagedata/></v:shape><o:OLEObject Type="Embed" ProgID="${program}"/></w:object></w:r>`;
  const { html } = await read(
    run('With ') + equation('Equation.DSMT4') + run(' it is ') + equation('Equation.3', ' alt="x &lt; 2"'),
    run('No ') + equation('Excel.Sheet.12') + run('sheet'),
  );
  expect(html).toBe('<p>With [formula] it is x &lt; 2</p>\n<p>No sheet</p>');
});

test('the text of a field that stands in one element is kept', async () => {
  const field = (text: string): string => `<w:fldSimple w:instr=" REF slate ">${text}</w:fldSimple>`;
  const { html } = await read(
    run('See table ') + field(run('4')) + run(' of ') + field(run('part ') + field(run('two'))),
    `<w:fldSimple w:instr=" PAGE "/>${run('Alone')}`,
  );
  expect(html).toBe('<p>See table 4 of part two</p>\n<p>Alone</p>');
});

test.each<[string, (size: number) => string, (xml: string) => unknown]>([
  ['hidden runs', (size) => '<w:r><w:rPr><w:vanish/></w:rPr>'.repeat(size), dropHidden],
  ['objects', (size) => `<o:OLEObject ${'<w:object>'.repeat(size)}`, tellEquations],
  ['outlines', (size) => `<w:outlineLvl ${'<w:pPr>'.repeat(size)}`, styleOutline],
  ['fields', (size) => '<w:fldSimple '.repeat(size), openFields],
  ['a long outline', (size) => `<w:outlineLvl <w:pPr>${'<w:a/>'.repeat(size)}`, styleOutline],
])('%s that do not end cost in proportion', (_, make, change) => {
  expect(growthOf(make, change, 2_000)).toBeLessThan(1.6);
});
