import { defineHandler } from '../../../../../src/workers/handler.ts';
import { readPage } from '../../../../../src/workers/page/read-page.ts';
import { wordCount } from '../../contracts/web/word-count.ts';

export default defineHandler(wordCount, async (input, job, tools) => {
  const page = await readPage(input, job, tools, { accepts: ['html'], wishes: { text: true } });
  const words = page.analyzed?.text?.match(/\p{L}+/gu) ?? [];
  return { words: words.filter((word) => word.length >= input.minLength).length };
});
