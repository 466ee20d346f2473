import { afterAll, describe, expect, test } from 'vitest';
import type readDocument from '../../src/workers/documents/read-document.ts';
import type readPdf from '../../src/workers/page/fetch/read-pdf.ts';
import { createTaskPool } from '../../src/shared/tasks/task-pool.ts';
import { defineTask } from '../../src/shared/tasks/task.ts';
import { type BombEnd, documentBombs } from '../support/document-bombs.ts';

const source = '../../src/workers';
const readDocumentTask = defineTask<typeof readDocument>(
  new URL(`${source}/documents/read-document.ts`, import.meta.url),
);
const readPdfTask = defineTask<typeof readPdf>(new URL(`${source}/page/fetch/read-pdf.ts`, import.meta.url));

/** What one may take; less, where it is to be too much. */
const timeoutMs = { tooLarge: 5_000, other: 20_000 };

const pool = createTaskPool();
afterAll(() => pool[Symbol.asyncDispose]());
const { signal } = new AbortController();

async function endOf(reading: Promise<string>): Promise<BombEnd> {
  try {
    return { text: await reading };
  } catch (error) {
    const isTooLarge = (error as { code?: string }).code === 'target_too_large';
    return isTooLarge ? { tooLarge: true } : { unreadable: true };
  }
}

const isLike = (end: BombEnd, expected: BombEnd): boolean =>
  'text' in expected
    ? 'text' in end && end.text.includes(expected.text)
    : Object.keys(expected).every((key) => key in end);

describe('a document that means harm ends in time', { timeout: 60_000 }, () => {
  test.each(Object.entries(documentBombs))('%s', async (_name, { kind, make, ends }) => {
    const bytes = make();
    expect(bytes.length).toBeLessThan(30_000_000);
    const isTooLarge = ends.every((one) => 'tooLarge' in one);
    const options = { owner: 'a', signal, timeoutMs: timeoutMs[isTooLarge ? 'tooLarge' : 'other'] };
    const task = { kind, bytes, text: '', url: 'http://a.example/', contentType: null };
    const readings = [() => pool.run(readDocumentTask, task, options).then(({ page }) => page.text)];
    // As the text of a page is read.
    if (kind === 'pdf') readings.push(() => pool.run(readPdfTask, bytes, options).then(({ text }) => text));
    for (const read of readings) {
      const end = await endOf(read());
      const told = 'text' in end ? { text: end.text.slice(0, 100) } : end;
      expect(
        ends.some((one) => isLike(end, one)),
        JSON.stringify(told),
      ).toBe(true);
    }
  });
});
