import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

test.each([
  ['2021-02-20 10:00:00 UTC', '2021-02-20T10:00:00Z'],
  ['2021-02-20T10:00+0100', '2021-02-20T10:00:00+01:00'],
  ['2021-02-30', null],
  ['30.2.2021', null],
])('published at %s', (stated, date) => {
  const html = `<meta property="article:published_time" content="${stated}"><article><h1>Slate</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).publishedAt).toBe(date);
});
