import { defineHandler } from '../../../../../src/workers/handler.ts';
import { readPage } from '../../../../../src/workers/page/read-page.ts';
import { wordCount } from '../../contracts/test/word-count.ts';

export default defineHandler(wordCount, async (input, job, tools) => {
  const page = await readPage(input, job, tools, { wishes: { text: true } });
  const words = (page.analyzed?.text ?? page.text).match(/\p{L}+/gu) ?? [];
  return {
    kind: page.kind,
    title: page.title,
    words: page.bytes === null ? words.filter((word) => word.length >= input.minLength).length : null,
    documentBytes: page.bytes?.length ?? null,
  };
});
