import { expect, it } from 'vitest';
import { createTextWork } from '../../src/workers/summarize/text-work.ts';
import { createTaskPool } from '../../src/shared/tasks/task-pool.ts';

it('works on a document of 300 pages in the task pool', async () => {
  await using tasks = createTaskPool();
  const work = createTextWork(tasks, { signal: new AbortController().signal, owner: 'somebody' });
  const blocks = Array.from({ length: 300 * 5 }, (_, at) => ({
    text: `On page ${Math.floor(at / 5)} the council of the town reports what it has built, and what it cost. ${'The bill was paid by those who live along the river and by the province. '.repeat(6)}Report ${at} ends here.`,
    startSeconds: at,
  }));
  const document = { title: 'Reports of the council', language: 'en', blocks };
  const [measured, extracted, split, found, sections] = await Promise.all([
    work.measure({ blocks, declaredLanguage: 'en-GB' }),
    work.extract({ document, length: 'long', focus: null }),
    work.split({ blocks, language: 'en', maxTokens: 24_000, maxChunks: 64 }),
    work.findQuotes({ blocks, quotes: ['Report 1499 ends here.', 'Report 1500 ends here.'] }),
    work.arrange({ document, chapters: [{ title: 'All', startSeconds: 0 }] }),
  ]);
  expect(measured.language).toBe('en');
  expect(measured.wordCount).toBeGreaterThan(300 * 400);
  expect(extracted).toMatchObject({ truncated: false, sentences: { length: 7 } });
  expect(split.truncated).toBe(false);
  expect(split.chunks.flatMap((chunk) => chunk.blocks)).toHaveLength(blocks.length);
  expect(found).toEqual([{ text: 'Report 1499 ends here.', block: 1499 }, null]);
  expect(sections).toHaveLength(1);
});
