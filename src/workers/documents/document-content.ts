import type { Warning } from '../../shared/schemas/job.ts';

/** What is read out of a document, of whatever kind. */
export interface DocumentContent {
  title: string | null;
  author: string | null;
  /** Days or moments, as the document states them. */
  publishedAt: string | null;
  modifiedAt: string | null;
  language: string | null;
  /** Its content with structure, without styles. */
  html: string;
  warnings: Warning[];
}

export const bareContent = (html: string): DocumentContent => ({
  title: null,
  author: null,
  publishedAt: null,
  modifiedAt: null,
  language: null,
  html,
  warnings: [],
});
