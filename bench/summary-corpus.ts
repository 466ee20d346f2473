import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readMetadata } from '../src/workers/page/metadata.ts';
import { toBlocks } from '../src/workers/summarize/document.ts';
import { detectLanguage } from '../src/workers/summarize/language.ts';
import type { SummaryDocument } from '../src/workers/summarize/document.ts';

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

/** A description that was cut off at a number of characters is no summary but a beginning. */
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
      const { title, description } = readMetadata(text, url, {});
      const described = collapse(description ?? '');
      if (described.length < shortestDescription || gt.body.length < shortestText) continue;
      const language = detectLanguage(gt.body, null);
      const document = { title: title ?? '', language, blocks: toBlocks(gt.body) };
      pages.push({ id, document, description: described, half: halfOf(id) });
    }
  }
  return pages;
}
