import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Truth {
  body: string;
  type?: string;
  with?: string[];
  without?: string[];
  title?: string;
  author?: string;
  date?: string | null;
}

export interface CorpusPage {
  corpus: 'articles' | 'pages';
  id: string;
  url: string;
  html: string;
  gt: Truth;
  /** Rules are tuned on one half only, by a fixed split of the ids. */
  half: 'tune' | 'held-out';
}

export const corporaFolder = process.env['CORPORA'] ?? join(import.meta.dirname, '../../../shared/corpora');

function halfOf(id: string): 'tune' | 'held-out' {
  return (createHash('sha256').update(id).digest()[0] as number) % 2 === 0 ? 'tune' : 'held-out';
}

export function loadCorpus(corpus: 'articles' | 'pages'): CorpusPage[] {
  const folder = join(corporaFolder, corpus);
  const lines = readFileSync(join(folder, 'index.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const { id, url, html, gt } = JSON.parse(line) as { id: string; url: string; html: string; gt: Truth };
    const text = gunzipSync(readFileSync(join(folder, html))).toString('utf8');
    return { corpus, id, url, html: text, gt, half: halfOf(id) };
  });
}
