import { utils, write } from '@e965/xlsx';
import { AlignmentType, Document, HeadingLevel, Packer, Paragraph, Table, TableCell, TableRow } from 'docx';
import Papa from 'papaparse';
import PdfKit from 'pdfkit';
import type { Page } from 'puppeteer-core';
import type { DocumentTask } from '../../src/workers/documents/read-document.ts';
import { languageTexts } from './language-texts.ts';

/** A file that a program has made, and the text that a reader finds in it, in the order in which it is read. */
export interface DocumentFile {
  kind: DocumentTask['kind'];
  content: Buffer | string;
  text: string;
}

const nouns =
  'quarry slate valley engine winter harbour account ledger foreman splitter roofer measurement transportation neighbourhood company century lantern weather agreement stone'.split(
    ' ',
  );
const verbs = 'carried measured refused remembered abandoned delivered counted repaired'.split(' ');
const places = 'below the mountain,beside the railway,in the upper gallery,at the end of March'.split(',');

/** Sentences of a fixed vocabulary, each its own: the same every time. */
function prose(seed: number, sentences: number): string {
  let state = seed;
  const pick = (list: readonly string[]): string => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return list[Math.floor((state / 2_147_483_648) * list.length)] ?? '';
  };
  return Array.from(
    { length: sentences },
    (_, at) =>
      `Note ${seed}.${at}: the ${pick(nouns)} ${pick(verbs)} a ${pick(nouns)} and the ${pick(nouns)} ${pick(places)}.`,
  ).join(' ');
}

const chapters = (count: number, sentences = 6) =>
  Array.from({ length: count }, (_, at) => ({
    heading: `Chapter ${String.fromCharCode(65 + at)} of the ${nouns[at % nouns.length]}`,
    paragraphs: [prose(at * 3 + 1, sentences), prose(at * 3 + 2, sentences), prose(at * 3 + 3, sentences)],
  }));
const flat = (list: ReturnType<typeof chapters>) =>
  list.flatMap(({ heading, paragraphs }) => [heading, ...paragraphs]).join('\n');
const toHtml = (list: ReturnType<typeof chapters>) =>
  list
    .map(
      ({ heading, paragraphs }) =>
        `<h2>${heading}</h2>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`,
    )
    .join('');
const rows = Array.from({ length: 60 }, (_, at) => [
  `${nouns[at % nouns.length]} no. ${at + 1}`,
  String(1_200 + at * 37),
  `${places[at % places.length]}`,
]);
const table = (list: readonly string[][]) =>
  `<table style="width:100%;border-collapse:collapse">${list.map((row) => `<tr>${row.map((cell) => `<td style="padding:4px 18px;border:1px solid">${cell}</td>`).join('')}</tr>`).join('')}</table>`;
const cells = (list: readonly string[][]) => list.map((row) => row.join('\t')).join('\n');
const columns = (count: number, html: string) =>
  `<div style="columns:${count};column-gap:28px;text-align:justify">${html}</div>`;

/** What Chromium is given to print, and what a reader of the print reads. */
const prints: Record<string, { html: string; text: string; lang?: string; running?: true; css?: string }> = {
  'one column, several pages': { html: toHtml(chapters(6)), text: flat(chapters(6)) },
  'two columns': { html: columns(2, toHtml(chapters(3))), text: flat(chapters(3)) },
  'two columns below a headline, a table between': {
    html: `<h1>The year in the upper gallery</h1>${columns(2, toHtml(chapters(1, 9)))}${table(rows.slice(0, 6))}${columns(2, `<p>${prose(71, 16)}</p><p>${prose(72, 16)}</p>`)}`,
    text: `The year in the upper gallery\n${flat(chapters(1, 9))}\n${cells(rows.slice(0, 6))}\n${prose(71, 16)}\n${prose(72, 16)}`,
  },
  'three columns': {
    html: columns(3, toHtml(chapters(3))),
    text: flat(chapters(3)),
    css: 'body{font-size:9pt}',
  },
  'a table over several pages': { html: table(rows), text: cells(rows) },
  'nested lists': {
    html: `<ol>${chapters(4, 2)
      .map(
        ({ heading, paragraphs }) =>
          `<li>${heading}<ul>${paragraphs.map((text) => `<li>${text}</li>`).join('')}</ul></li>`,
      )
      .join('')}</ol>`,
    text: flat(chapters(4, 2)),
  },
  'running heads and page numbers': { html: toHtml(chapters(8)), text: flat(chapters(8)), running: true },
  'words broken at the ends of lines': {
    html: columns(
      2,
      `<div style="hyphens:manual">${chapters(3)
        .flatMap(({ paragraphs }) =>
          paragraphs.map(
            (text) =>
              `<p>${text.replaceAll(/(transpor)(tation)|(neighbour)(hood)|(measure)(ment)|(remem)(bered)|(aban)(doned)/g, (whole) => `${whole.slice(0, 5)}\u00ad${whole.slice(5)}`)}</p>`,
          ),
        )
        .join('')}</div>`,
    ),
    text: chapters(3)
      .flatMap(({ paragraphs }) => paragraphs)
      .join('\n'),
  },
  ...Object.fromEntries(
    ['de', 'fr', 'ru', 'ar', 'zh', 'ja'].map((lang) => {
      const { title, paragraphs } = languageTexts[lang] as (typeof languageTexts)[string];
      const html = `<h1>${title}</h1>${paragraphs.map((text) => `<p>${text}</p>`).join('')}`;
      return [`in ${lang}`, { html, text: [title, ...paragraphs].join('\n'), lang }];
    }),
  ),
};

const running = (text: string) =>
  `<div style="font-size:8px;width:100%;text-align:center">${text} <span class="pageNumber"></span></div>`;

/** PDF files that Chromium has printed. */
export async function printDocuments(page: Page): Promise<Record<string, DocumentFile>> {
  const files: Record<string, DocumentFile> = {};
  for (const [name, { html, text, lang = 'en', css = '', running: hasRunning }] of Object.entries(prints)) {
    await page.setContent(
      `<html lang="${lang}"${lang === 'ar' ? ' dir="rtl"' : ''}><style>body{font:11pt serif}${css}</style><body>${html}`,
    );
    const margin = { top: '20mm', bottom: '20mm', left: '18mm', right: '18mm' };
    const heads = hasRunning
      ? {
          displayHeaderFooter: true,
          headerTemplate: running('Annals of the quarry'),
          footerTemplate: running('Page'),
        }
      : {};
    const content = Buffer.from(await page.pdf({ format: 'a4', margin, ...heads }));
    files[`Chromium: ${name}`] = { kind: 'pdf', content, text };
  }
  return files;
}

type PdfDocument = InstanceType<typeof PdfKit>;

/** @param protection a password, for a file that is encrypted. */
export async function writePdf(
  draw: (document: PdfDocument) => void,
  protection: { userPassword?: string; ownerPassword?: string } = {},
): Promise<Buffer> {
  const document = new PdfKit({ size: 'A4', margin: 60, ...protection });
  draw(document);
  document.end();
  return Buffer.concat(await document.toArray());
}

async function drawnDocuments(): Promise<Record<string, DocumentFile>> {
  const text = flat(chapters(3));
  const put = (document: PdfDocument, options: PDFKit.Mixins.TextOptions = {}): void => {
    for (const { heading, paragraphs } of chapters(3)) {
      document.fontSize(18).text(heading, options).fontSize(10.5);
      for (const paragraph of paragraphs) document.moveDown(0.5).text(paragraph, options);
      document.moveDown();
    }
  };
  const pdf = (content: Buffer, of: string): DocumentFile => ({ kind: 'pdf', content, text: of });
  return {
    'pdfkit: one column': pdf(await writePdf((document) => put(document)), text),
    'pdfkit: two columns, justified': pdf(
      await writePdf((document) =>
        document.fontSize(10).text(`${prose(5, 30)}\n\n${prose(6, 30)}`, {
          columns: 2,
          columnGap: 24,
          height: 640,
          align: 'justify',
        }),
      ),
      `${prose(5, 30)}\n${prose(6, 30)}`,
    ),
    'pdfkit: a list': pdf(
      await writePdf((document) =>
        document.fontSize(11).list(chapters(4, 1).flatMap(({ paragraphs }) => paragraphs)),
      ),
      chapters(4, 1)
        .flatMap(({ paragraphs }) => paragraphs)
        .join('\n'),
    ),
    'pdfkit: printing forbidden, reading not': pdf(
      await writePdf((document) => put(document), { ownerPassword: 'owner' }),
      text,
    ),
  };
}

async function writtenDocuments(): Promise<Record<string, DocumentFile>> {
  const pack = async (children: (Paragraph | Table)[]): Promise<Buffer> =>
    await Packer.toBuffer(
      new Document({
        numbering: {
          config: [
            {
              reference: 'steps',
              levels: [{ level: 0, format: 'decimal', text: '%1.', alignment: AlignmentType.START }],
            },
          ],
        },
        sections: [{ children }],
      }),
    );
  const list = chapters(4);
  const word = (content: Buffer, text: string): DocumentFile => ({ kind: 'docx', content, text });
  return {
    'docx: headings and paragraphs': word(
      await pack(
        list.flatMap(({ heading, paragraphs }) => [
          new Paragraph({ text: heading, heading: HeadingLevel.HEADING_1 }),
          ...paragraphs.map((text) => new Paragraph(text)),
        ]),
      ),
      flat(list),
    ),
    'docx: lists': word(
      await pack(
        list.flatMap(({ heading, paragraphs }) => [
          new Paragraph({ text: heading, bullet: { level: 0 } }),
          ...paragraphs.map((text) => new Paragraph({ text, numbering: { reference: 'steps', level: 0 } })),
        ]),
      ),
      flat(list),
    ),
    'docx: a table': word(
      await pack([
        new Table({
          rows: rows.map(
            (row) =>
              new TableRow({
                children: row.map((text) => new TableCell({ children: [new Paragraph(text)] })),
              }),
          ),
        }),
      ]),
      cells(rows),
    ),
  };
}

function calculatedDocuments(): Record<string, DocumentFile> {
  const book = utils.book_new();
  const head = ['Stone', 'Mass', 'Where'];
  utils.book_append_sheet(book, utils.aoa_to_sheet([head, ...rows]), 'Stock');
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ['Day', 'Due'],
      [new Date(Date.UTC(2026, 2, 14)), 1.5],
    ]),
    'Days',
  );
  return {
    'SheetJS: a workbook': {
      kind: 'xlsx',
      content: write(book, { type: 'buffer', bookType: 'xlsx' }) as Buffer,
      text: `Stock\n${cells([head, ...rows])}\nDays\nDay\tDue\n`,
    },
    'Papa Parse: CSV': {
      kind: 'csv',
      content: Papa.unparse([head, ...rows.map(([a = '', b = '', c = '']) => [a, b, `"${c}", as told`])]),
      text: cells([head, ...rows.map(([a = '', b = '', c = '']) => [a, b, `"${c}", as told`])]),
    },
    JSON: {
      kind: 'text',
      content: JSON.stringify(rows.map(([stone, mass, where]) => ({ stone, mass, where }))),
      text: cells([['stone', 'mass', 'where'], ...rows]),
    },
    'plain text': {
      kind: 'text',
      content: flat(list12()).replaceAll(/(.{60,78}) /g, '$1\r\n'),
      text: flat(list12()),
    },
  };
}
const list12 = () => chapters(12, 2);

/** Files of libraries that write documents. */
export async function writeDocuments(): Promise<Record<string, DocumentFile>> {
  return { ...(await drawnDocuments()), ...(await writtenDocuments()), ...calculatedDocuments() };
}
