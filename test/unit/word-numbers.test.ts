import { expect, test } from 'vitest';
import readDocument from '../../src/workers/documents/read-document.ts';
import { createZip } from '../support/zip.ts';

const space = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const office = 'http://schemas.openxmlformats.org';
const level = (at: number, format: string, more = '') =>
  `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}</w:lvl>`;
const numbering = `<w:numbering ${space}>
  <w:abstractNum w:abstractNumId="0">${level(0, 'decimal')}${level(1, 'lowerLetter')}</w:abstractNum>
  <w:abstractNum w:abstractNumId="1">${level(0, 'upperRoman', '<w:pStyle w:val="Clause"/>')}</w:abstractNum>
  <w:abstractNum w:abstractNumId="2">${level(0, 'bullet')}</w:abstractNum>
  <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
  <w:num w:numId="2"><w:abstractNumId w:val="0"/>
    <w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
  <w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num>
  <w:num w:numId="4"><w:abstractNumId w:val="2"/></w:num>
  <w:num w:numId="5"><w:abstractNumId w:val="2"/><w:lvlOverride w:ilvl="0">${level(0, 'decimal')}</w:lvlOverride></w:num>
  <w:num w:numId="6"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">${level(0, 'bullet')}</w:lvlOverride></w:num>
</w:numbering>`;
const styles = `<w:styles ${space}><w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/>
  <w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style></w:styles>`;
const says = (text: string) => `<w:r><w:t>${text}</w:t></w:r>`;
const plain = (text: string) => `<w:p>${says(text)}</w:p>`;
const clause = (text: string) => `<w:p><w:pPr><w:pStyle w:val="Clause"/></w:pPr>${says(text)}</w:p>`;
const item = (list: number, text: string, at = 0) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${list}"/></w:numPr></w:pPr>${text && says(text)}</w:p>`;

/** @param suffix of the names of its parts: some programs write `document2.xml`. */
async function htmlOf(paragraphs: readonly string[], suffix = ''): Promise<string> {
  const types = ['document.main', 'numbering', 'styles'].map(
    (name) =>
      `<Override PartName="/word/${name.split('.')[0]}${suffix}.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.${name}+xml"/>`,
  );
  const relation = (type: string, target: string) =>
    `<Relationship Id="${type}" Type="${office}/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  const relations = (...own: string[]) =>
    `<Relationships xmlns="${office}/package/2006/relationships">${own.join('')}</Relationships>`;
  const bytes = createZip({
    '[Content_Types].xml': `<Types xmlns="${office}/package/2006/content-types">${types.join('')}</Types>`,
    '_rels/.rels': relations(
      relation('officeDocument', `${suffix === '' ? '' : '/'}word/document${suffix}.xml`),
    ),
    [`word/_rels/document${suffix}.xml.rels`]: relations(
      relation('numbering', `numbering${suffix}.xml`),
      relation('styles', `styles${suffix}.xml`),
    ),
    [`word/numbering${suffix}.xml`]: numbering,
    [`word/styles${suffix}.xml`]: styles,
    [`word/document${suffix}.xml`]: `<w:document ${space}><w:body>${paragraphs.join('')}</w:body></w:document>`,
  });
  const task = { kind: 'docx' as const, bytes, text: '', url: 'http://a.example/', contentType: null };
  const { page } = await readDocument(task);
  return page.html.replace(/\n/g, '');
}

test.each([
  [
    'a list goes on after a paragraph',
    [item(1, 'a'), item(1, 'b'), plain('So'), item(1, 'c')],
    '<ol><li>a</li><li>b</li></ol><p>So</p><ol start="3"><li>c</li></ol>',
  ],
  [
    'another of the same kind begins where it says',
    [item(1, 'a'), plain('So'), item(2, 'b'), item(2, 'c')],
    '<ol><li>a</li></ol><p>So</p><ol start="7"><li>b</li><li>c</li></ol>',
  ],
  [
    'levels begin anew below the next item, in letters',
    [item(1, 'a'), item(1, 'b', 1), plain('So'), item(1, 'c', 1), item(1, 'd'), item(1, 'e', 1)],
    '<ol><li>a<ol type="a"><li>b</li></ol></li></ol><p>So</p><ol start="2" type="a"><li>c</li></ol><ol start="2"><li>d<ol type="a"><li>e</li></ol></li></ol>',
  ],
  [
    'a style numbers its paragraphs',
    [clause('a'), plain('So'), clause('b')],
    '<ol type="I"><li>a</li></ol><p>So</p><ol start="2" type="I"><li>b</li></ol>',
  ],
  [
    'what is empty counts, and stands nowhere',
    [item(1, 'a'), item(1, ''), item(1, 'c')],
    '<ol><li>a</li><li value="3">c</li></ol>',
  ],
  [
    'an instance numbers a list that its definition has with bullets',
    [item(5, 'a'), item(5, 'b'), plain('So')],
    '<ol><li>a</li><li>b</li></ol><p>So</p>',
  ],
  [
    'an instance has bullets where its definition has numbers',
    [item(6, 'a'), item(6, 'b'), plain('So')],
    '<ul><li>a</li><li>b</li></ul><p>So</p>',
  ],
  [
    'bullets and numbers that follow each other are lists of their own',
    [item(1, 'a'), item(6, 'b'), item(6, 'c'), item(1, 'd'), item(5, 'e'), item(4, 'f')],
    '<ol><li>a</li></ol><ul><li>b</li><li>c</li></ul><ol start="4"><li>d</li></ol><ol><li>e</li></ol><ul><li>f</li></ul>',
  ],
  [
    'what looks like a mark of ours is text',
    [item(1, '\ufdd07\ufdd1a'), plain('\ufdd07\ufdd1')],
    '<ol><li>\ufdd07\ufdd1a</li></ol><p>\ufdd07\ufdd1</p>',
  ],
  ['bullets have no number', [item(4, 'a'), plain('So'), item(4, 'b')], '<ul><li>a</li></ul><p>So</p><ul>'],
])('in a Word document %s', async (_, paragraphs, html) => {
  expect(await htmlOf(paragraphs)).toContain(html);
});

test('parts are found by their relationships, whatever their names are', async () => {
  const paragraphs = [clause('a'), plain('So'), clause('b')];
  const html = '<ol type="I"><li>a</li></ol><p>So</p><ol start="2" type="I"><li>b</li></ol>';
  expect(await htmlOf(paragraphs, '2')).toContain(html);
});
