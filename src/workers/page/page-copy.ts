import type { Warning } from '../../shared/schemas/job.ts';
import type { RedirectHop } from '../../shared/schemas/page-options.ts';
import type { BodyKind } from './fetch/body-kind.ts';

/** A page as it was loaded, by either engine; what the cache keeps. */
export interface PageCopy {
  finalUrl: string;
  status: number | null;
  headers: Record<string, string>;
  /** Without parameters, lower case. */
  contentType: string | null;
  /** Null for a document. */
  charset: string | null;
  kind: BodyKind;
  /** Decoded; empty for a document. */
  text: string;
  /** Of a document; else null. */
  bytes: Buffer | null;
  /** Where a browser tells it. */
  title: string | null;
  redirects: RedirectHop[];
  engine: 'http' | 'browser';
  /** Of the decoded body (http), or received for the page and all it loaded (browser). */
  sizeBytes: number;
  truncated: boolean;
  warnings: Warning[];
}

/** Which copy: the page as it was asked for, by whom. */
export interface CopyKey {
  userId: string;
  page: Buffer;
}

/** Where copies of pages are kept. Losing one costs a load, so that nothing here fails. */
export interface PageCopies {
  /**
   * A copy of the user's own or, where the operator lets users share, a public one.
   * @returns null when there is none that is at most `maxAgeMs` old.
   */
  find(key: CopyKey, maxAgeMs: number): Promise<{ copy: PageCopy; ageMs: number } | null>;
  keep(key: CopyKey, copy: PageCopy): Promise<void>;
}
