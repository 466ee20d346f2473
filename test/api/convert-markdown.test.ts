import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/client.ts';
import { startSite, type Site } from '../support/site.ts';
import { quarryArticle } from '../support/site/content.ts';

const path = '/api/proxy/web/v1/convert/markdown';

let site: Site;
beforeAll(async () => {
  site = await startSite();
  site.serve('/content/article', quarryArticle);
});
afterAll(() => site.close());

const convert = async (options: Record<string, unknown> = {}) => {
  const { body } = await call(path, { body: { url: `${site.origin}/content/article`, ...options } });
  return body;
};

test('an article as markdown, with what is known of it', async () => {
  const { data } = await convert();
  expect(data).toMatchObject({
    title: 'How slate is split',
    truncated: false,
    metadata: { byline: 'Ada Quarryman', publishedAt: '2026-03-14T09:30:00+01:00', language: 'en-GB' },
  });
  expect(data.tokens).toBeGreaterThan(300);
  expect(data.markdown).toContain(`[cleavage](${site.origin}/glossary#cleavage)`);
  expect(data.markdown).toContain('> You do not force the stone.');
  expect(data.markdown).toContain('1. Lay the block on its side');
  expect(data.markdown).toContain(
    '| Roof | Sheet |\n| - | - |\n| Church of the valley | Nine millimetres thick |',
  );
  expect(data.markdown).toContain(
    '```python\ndef split(block):\n    for layer in block:\n        yield layer\n```',
  );
  expect(data.markdown).toContain(`![A man with a chisel](${site.origin}/splitting.jpg)`);
  expect(data.markdown).not.toContain('newsletter');
});

describe('options', () => {
  test('links referenced, and none', async () => {
    const referenced = (await convert({ links: 'referenced' }))['data'].markdown;
    expect(referenced).toContain('[cleavage][1]');
    expect(referenced).toContain(`[1]: ${site.origin}/glossary#cleavage`);
    expect((await convert({ links: 'none' }))['data'].markdown).not.toMatch(/(^|[^!])\[[^\]]*\]\(/m);
  });

  test('without images', async () => {
    expect((await convert({ images: false }))['data'].markdown).not.toContain('![');
  });

  test('front matter', async () => {
    const { data } = await convert({ frontMatter: true });
    expect(data.markdown).toMatch(
      /^---\ntitle: "How slate is split"\nurl: "http[^"]+"\nauthor: "Ada Quarryman"\ndate: "2026-03-14T09:30:00\+01:00"\nlanguage: "en-GB"\n---\n\n/,
    );
  });

  test('the whole page', async () => {
    const { data } = await convert({ onlyMainContent: false });
    expect(data.markdown).toContain('Subscribe to our newsletter');
    expect(data.markdown).toContain('First comment');
  });

  test('a bound of tokens cuts between two blocks, and is told', async () => {
    const { data, meta } = await convert({ maxTokens: 150 });
    expect(data.truncated).toBe(true);
    expect(data.tokens).toBeLessThanOrEqual(150);
    expect(data.tokens).toBeGreaterThan(50);
    expect(data.markdown).toMatch(/[.!?]$/);
    expect(meta.warnings).toMatchObject([{ code: 'markdown_truncated' }]);
  });

  test('a front matter is never cut', async () => {
    const { data } = await convert({ maxTokens: 8, frontMatter: true });
    expect(data.markdown).toBe('Slate is split along its');
  });
});

test('a list: one entry a URL, in its order', async () => {
  const urls = [`${site.origin}/content/article`, `${site.origin}/report.pdf`];
  const { body } = await call(`${path}/urls`, { body: { urls, render: 'http', links: 'none' } });
  expect(body['data']).toMatchObject({ succeeded: 2, failed: 0, results: [{ ok: true }, { ok: true }] });
  expect(body['data'].results[1].data.markdown).toContain('Slate is split, never sawn.');
});
