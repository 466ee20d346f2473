import { expect, test } from 'vitest';
import type { TaskPool } from '../../src/shared/tasks/task.ts';
import decodeBody from '../../src/workers/page/html/decode-body.ts';
import { createPageReader } from '../../src/workers/page/page-reader.ts';
import { readVisibleText } from '../../src/workers/page/html/visible-text.ts';
import writeOutTags from '../../src/workers/page/html/write-out-tags.ts';
import readAnswerLinks from '../../src/workers/url/read-page-links.ts';
import { growthOf } from '../support/growth.ts';

const xhtml = (head: string, body: string) =>
  `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head>${head}</head><body>${body}</body></html>`;
const decode = (text: string, contentType: string) =>
  decodeBody({ body: Buffer.from(text), contentType, kind: 'html' }).text;

test.each(['application/xhtml+xml', 'application/xml; charset=utf-8', 'text/xml'])(
  'elements that %s ends at once hide nothing behind them',
  (type) => {
    for (const empty of [
      '<canvas id="c"/>',
      '<div style="display:none"/>',
      '<video/>',
      '<textarea />',
      '<iframe src="a"/>',
    ]) {
      const text = readVisibleText(decode(xhtml('<title/>', `${empty}<p>Slate<br/>and stone</p>`), type));
      expect(text, empty).toBe('Slate\nand stone');
    }
    const page = xhtml('<script src="a.js"/><style/><link rel="canonical" href="/slate"/>', '<p>Slate</p>');
    expect(readVisibleText(decode(page, type))).toBe('Slate');
    const answer = { body: Buffer.from(page), headers: { 'content-type': type }, url: 'http://a.test/' };
    expect(readAnswerLinks(answer).canonical).toBe('http://a.test/slate');
  },
);

test.each([
  ['of the event loop', 0],
  ['of a task', 20_000],
])('a page reader reads XHTML as its type says in the time %s', async (_, padding) => {
  const ran: unknown[] = [];
  const tasks = {
    run: async (_task: unknown, asked: Parameters<typeof decodeBody>[0]) => (
      ran.push(asked),
      decodeBody(asked)
    ),
  } as unknown as TaskPool;
  const page = xhtml('<title/><script src="a.js"/>', `<canvas/><p>Slate</p>${' '.repeat(padding)}`);
  const sent = { body: Buffer.from(page), contentType: 'application/xhtml+xml', kind: 'html' as const };
  const reading = { signal: new AbortController().signal, owner: 'a' };
  const { text } = await createPageReader(tasks).decode(sent, reading);
  expect(readVisibleText(text)).toBe('Slate');
  expect(ran).toHaveLength(padding === 0 ? 0 : 1);
});

test('what stands in CDATA is text in XHTML, and none in HTML', () => {
  const page = xhtml(
    '<title>T</title><script>//<![CDATA[\nlet a = "<b>";\n//]]></script>',
    '<p><![CDATA[AT&T & a < b, <i>no tag</i> &amp;]]></p><p><![CDATA[]]>Slate<![CDATA[ and ]]>stone</p><!-- <![CDATA[no]]> -->',
  );
  const text = 'AT&T & a < b, <i>no tag</i> &amp;\nSlate and stone';
  expect(readVisibleText(decode(page, 'application/xhtml+xml'))).toBe(text);
  expect(decode(page, 'application/xhtml+xml')).toContain('let a = "<b>"');
  expect(readVisibleText(decode(page, 'text/html'))).toBe('no tag &]]>\nSlatestone');
  expect(writeOutTags('<p><![CDATA[never closed</p>')).toBe('<p><![CDATA[never closed</p>');
});

test('a slash in HTML means nothing, whatever it begins with', () => {
  const page = xhtml('<title>T</title>', '<div hidden/><p>No</p>');
  expect(decode(page, 'text/html')).toBe(page);
});

test.each([
  ['<a href="/a>b" title=\'/\'/>', '<a href="/a>b" title=\'/\'></a>'],
  ['<svg:path d="M0"/>', '<svg:path d="M0"></svg:path>'],
  ['<Div\n/>', '<Div\n></Div>'],
  ['<br/><img src="a"/><hr />', '<br/><img src="a"/><hr />'],
  ['<a href=/there/>There</a>', '<a href=/there/>There</a>'],
  ['<p>1 &lt; 2 / 3 /></p>', '<p>1 &lt; 2 / 3 /></p>'],
  ['<!-- <p/> --><![CDATA[<p/>]]><?p <p ?>', '<!-- <p/> -->&lt;p/><?p <p ?>'],
  ['<p><![CDATA[a<]]>b &<![CDATA[amp;]]></p>', '<p>a&lt;b &amp;</p>'],
  ['<p><![CDATA[&]]>amp; <![CDATA[1 < 2 & 3]]></p>', '<p>&amp;amp; 1 &lt; 2 &amp; 3</p>'],
  ['<script>"<p/>"</script><b/>', '<script>"<p/>"</script><b></b>'],
  ['<?p a > b ?><a/><?p', '<a></a><?p'],
  ['<p/', '<p/'],
  ['<!-- <p/>', '<!-- <p/>'],
])('%s is written out as %s', (text, written) => expect(writeOutTags(text)).toBe(written));

test.each([
  ['', '<a/>', ''],
  ['', '<a b="x/>', ''],
  ['', '<!--', ''],
  ['', '<script>', ''],
  ['', '<a', ''],
  ['', '<', ''],
  ['', "<a b='>", ''],
  ['', '<a />//', ''],
  ['<a', ' b=""', '>'],
  ['<a', " =''", '/>'],
])('%s%s%s, its middle without end, costs in proportion', (before, piece, after) => {
  const make = (size: number) => `${before}${piece.repeat(size)}${after}`;
  expect(growthOf(make, writeOutTags, 1_000)).toBeLessThan(1.6);
});

test.each([
  '<!DOCTYPE html [<!ENTITY slate "stone"><!-- a > b -->]>',
  '<!doctype html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/a.dtd" [\n<!ATTLIST a b CDATA #IMPLIED>\n] >',
  '<!DOCTYPE html>',
])('the declarations of a doctype are no text: %s', (doctype) => {
  const page = `${doctype}<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Slate [a] &gt; b</p></body></html>`;
  expect(readVisibleText(decode(page, 'application/xhtml+xml'))).toBe('Slate [a] > b');
});

test('a doctype that nothing ends costs nothing', () => {
  const page = (size: number) => '<!DOCTYPE html [>'.repeat(size);
  expect(growthOf(page, (text) => writeOutTags(text), 2_000)).toBeLessThan(1.6);
});
