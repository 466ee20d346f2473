import { type FullProperties, utils, write } from '@e965/xlsx';
import { expect, test } from 'vitest';
import readDocument from '../../src/workers/documents/read-document.ts';
import { writePdf } from '../support/document-set.ts';

const url = 'http://a.example/stones.xlsx';

async function readBook(Props: FullProperties) {
  const book = { ...utils.book_new(), Props };
  utils.book_append_sheet(book, utils.aoa_to_sheet([['Stone'], ['Slate']]), 'Stock');
  const bytes = write(book, { type: 'buffer', bookType: 'xlsx', Props }) as Buffer;
  return (await readDocument({ kind: 'xlsx', bytes, text: '', url, contentType: null })).page;
}

const placeholders = [
  '(anonymous)',
  'Document1',
  'Dokument1',
  'PowerPoint Presentation',
  'PowerPoint-Präsentation',
  'Présentation PowerPoint',
  'Presentation1',
  'Book1',
  '工作簿1',
  'Untitled document',
  'Unbenannt 1',
  'Microsoft Word - plan_v3.docx',
  'plan_v3.indd',
];

test.each(placeholders)('what a program puts for a title is none: %s', async (Title) => {
  expect((await readBook({ Title })).title).toBe('stones.xlsx');
  const bytes = await writePdf((file) => {
    file.info.Title = Title;
    file.fontSize(16).text('On slate').fontSize(10);
    file.text('It splits along its layers, which is what a roof needs. '.repeat(8));
  });
  const { page } = await readDocument({ kind: 'pdf', bytes, text: '', url, contentType: null });
  expect(page.title).toBe('On slate');
});

test.each([
  'Book 1: Slate',
  'Book of the Dead',
  'Document 12 of the archive',
  'Anonymous',
  'PowerPoint Presentation Skills',
  'Untitled (Black on Grey)',
])('a title stays one: %s', async (Title) => {
  expect((await readBook({ Title })).title).toBe(Title);
});

test.each(['2013-12-23T23:15:00Z', '2006-09-16T00:00:00Z', '2015-06-05T18:19:34Z'])(
  'when a template was made says nothing of a document: %s',
  async (made) => {
    const CreatedDate = new Date(made);
    const changed = new Date('2024-05-06T07:08:09Z');
    expect(await readBook({ CreatedDate, ModifiedDate: CreatedDate })).toMatchObject({
      publishedAt: null,
      modifiedAt: null,
    });
    expect(await readBook({ CreatedDate, ModifiedDate: changed })).toMatchObject({
      publishedAt: null,
      modifiedAt: '2024-05-06T07:08:09Z',
    });
    expect((await readBook({ CreatedDate: changed })).publishedAt).toBe('2024-05-06T07:08:09Z');
  },
);
