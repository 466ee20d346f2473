import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';
import measureText from '../../src/workers/summarize/measure-text.ts';

test('a summary tells the same time to read as the content', () => {
  const text = 'It splits along its layers. '.repeat(60).trim();
  const page = extractPage({ html: `<p>${text}</p>`, url: 'http://a.example/', onlyMainContent: false });

  const summary = measureText({ blocks: [{ text }], declaredLanguage: 'en' });
  expect([page.wordCount, page.readingMinutes, summary.readingMinutes]).toEqual([300, 2, 2]);
});
