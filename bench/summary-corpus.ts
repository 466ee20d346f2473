import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readMetadata } from '../src/workers/page/html/metadata.ts';
import { type SummaryDocument, toBlocks } from '../src/workers/summarize/document.ts';
import { detectLanguage } from '../src/workers/extract/text-language.ts';

export interface DescribedPage {
  id: string;
  document: SummaryDocument & { title: string };
  /** What the page says of itself; no summariser sees it. */
  description: string;
  half: 'tuned' | 'held out';
}

interface Entry {
  id: string;
  url: string;
  html: string;
  gt: { body: string; type?: string };
}

const shortestDescription = 50;
const shortestText = 600;

/** By what no rule was chosen after: the digest of the page's id. */
function halfOf(id: string): DescribedPage['half'] {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0 ? 'tuned' : 'held out';
}

const collapse = (text: string) => text.replace(/\s+/g, ' ').trim();

/** The articles of a corpus that have a description and a text long enough to leave something out. */
export async function readDescribedPages(corpora: string): Promise<DescribedPage[]> {
  const pages: DescribedPage[] = [];
  for (const name of ['articles', 'pages']) {
    const folder = join(corpora, name);
    const lines = (await readFile(join(folder, 'index.jsonl'), 'utf8')).trim().split('\n');
    for (const line of lines) {
      const { id, url, html, gt } = JSON.parse(line) as Entry;
      if (gt.type !== undefined && gt.type !== 'article') continue;
      const text = gunzipSync(await readFile(join(folder, html))).toString();
      const { head, metadata } = readMetadata(text, { url, headers: {}, charset: null });
      const described = collapse(metadata.description ?? '');
      if (described.length < shortestDescription || gt.body.length < shortestText) continue;
      const language = detectLanguage(gt.body, null);
      const document = { title: head.title ?? '', language, blocks: toBlocks(gt.body) };
      pages.push({ id, document, description: described, half: halfOf(id) });
    }
  }
  return pages;
}

const handbookLanguages = ['en-US', 'de-DE', 'fr-FR', 'es-ES', 'ru-RU', 'ar-MA', 'zh-CN', 'ja-JP'];
const tags = /<[^>]*>/g;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };

const textOf = (html: string) =>
  collapse(html.replace(tags, '').replace(/&(#?\w+);/g, (whole, name: string) => entities[name] ?? whole));

const paragraphsOf = (html: string) =>
  [...html.matchAll(/<div class="para">([^]*?)<\/div>/g)].map((match) => textOf(match[1] ?? ''));

/**
 * Chapters of the handbook with their standfirst, where both are translated. The text of a chapter is its own page and
 * those of its sections, in their order.
 */
export async function readChapters(folder: string): Promise<DescribedPage[]> {
  const chapters: DescribedPage[] = [];
  for (const locale of handbookLanguages) {
    const language = locale.slice(0, 2);
    for (const file of await readdir(join(folder, locale))) {
      if (!file.endsWith('.html') || file.startsWith('sect.')) continue;
      const html = await readFile(join(folder, locale, file), 'utf8');
      const standfirst = /<div class="highlights">([^]*?)<\/div><\/div>/.exec(html)?.[1];
      if (standfirst === undefined) continue;
      const description = textOf(standfirst);
      const sections = [
        ...new Set([...html.matchAll(/href="(sect\.[\w.-]+\.html)/g)].map((match) => match[1] ?? '')),
      ];
      const bodies = await Promise.all(
        sections.map((section) => readFile(join(folder, locale, section), 'utf8').catch(() => '')),
      );
      const paragraphs = [html.replace(standfirst, ''), ...bodies].flatMap(paragraphsOf);
      const translated = paragraphs.filter((text) => detectLanguage(text, language) === language);
      const isTranslated = detectLanguage(description, null) === language;
      if (!isTranslated || translated.length < 10) continue;
      const title = textOf(/<title>([^<]*)/.exec(html)?.[1] ?? '').replace(/^\S+ \d+\. /, '');
      const blocks = translated.map((text) => ({ text }));
      chapters.push({
        id: `${locale}/${file}`,
        document: { title, language, blocks },
        description,
        half: 'held out',
      });
    }
  }
  return chapters;
}
