import { expect, test } from 'vitest';
import extractPage from '../../src/workers/extract/extract-page.ts';

test.each([
  ['2021-02-20 10:00:00 UTC', '2021-02-20T10:00:00Z'],
  ['2021-02-20T10:00+0100', '2021-02-20T10:00:00+01:00'],
  ['2021-02-20T10:00:00+01', '2021-02-20T10:00:00+01:00'],
  ['2021-02-30', null],
  ['30.2.2021', null],
])('published at %s', (stated, date) => {
  const html = `<meta property="article:published_time" content="${stated}"><article><h1>Slate</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).publishedAt).toBe(date);
});

test.each([
  ['de', 'Do., 14. März 2024'],
  ['fr', '14 mars 2024'],
  ['es-MX', '14 de marzo de 2024'],
  ['it', '14 marzo 2024'],
  ['pt-BR', '14 de março de 2024'],
  ['nl', '14 maart 2024'],
  ['ru', '14 марта 2024'],
  ['sv', '14 mars 2024'],
  ['ja', '2024年3月14日'],
  ['zh-Hant', '2024年3月14日'],
  ['de', 'March 14, 2024'],
])('written in %s: %s', (language, written) => {
  const html = `<html lang=${language}><meta property=og:type content=article><article><h1>Slate</h1><p class=date>${written}</p><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).publishedAt).toBe('2024-03-14');
});

test.each([
  ['Di Wang', 'Di Wang'],
  ['By Von Miller', 'Von Miller'],
  ['Center for American Progress', 'Center for American Progress'],
  ['Digital Trends Staff', 'Digital Trends Staff'],
  ['Chief Joseph', 'Chief Joseph'],
  ['李 明', '李 明'],
  ['Anna Lee, Senior Reporter', 'Anna Lee'],
  ['https://a.example/anna', null],
])('structured data state %s as author', (stated, name) => {
  const data = { '@type': 'Article', author: { '@type': 'Person', name: stated } };
  const html = `<script type="application/ld+json">${JSON.stringify(data)}</script><article><h1>Slate</h1><p>Split.`;
  expect(extractPage({ html, url: 'http://a.example/' }).byline).toBe(name);
});
