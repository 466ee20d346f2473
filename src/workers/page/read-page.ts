import { AppError } from '../../shared/errors.ts';
import { type PageQuery, toPageQuery } from '../../shared/schemas/page-options.ts';
import type { BlockedBy } from '../../shared/schemas/scraped-page.ts';
import type { JobContext } from '../handler.ts';
import type { PageWishes } from './analyze-page.ts';
import type { BodyKind } from './fetch/body-kind.ts';
import { targetBlocked, orWithCookies } from './fetch/challenge.ts';
import { type ObtainedPage, obtainPage, type PageTools } from './obtain-page.ts';
import type { PageCopy } from './page-copy.ts';

export interface ReadOptions {
  /** What the operation can do something with; else `unsupported_content`. Default: all. */
  accepts?: readonly BodyKind[];
  /**
   * Whether the answer itself tells of a bot challenge (`blocked`) and of an error page (its status) in place of the page;
   * else the first is the error `target_blocked`, the second the warning `error_status`.
   */
  tellsBlocked?: boolean;
  /** What else is to be read from HTML. */
  wishes?: PageWishes;
}

/** A page that was read for an operation. */
export interface ReadPage extends Omit<PageCopy, 'warnings'> {
  /** What its HTML says; null for all other kinds. */
  analyzed: ObtainedPage['analyzed'];
  blocked: BlockedBy;
}

const kindNames: Record<BodyKind, string> = {
  html: 'a page',
  xml: 'XML',
  text: 'text',
  csv: 'CSV',
  pdf: 'a PDF',
  docx: 'a Word document',
  xlsx: 'an Excel workbook',
};

/**
 * Reads the page of an operation: loads it as its options say, tells the job of the cache and of warnings. Text kinds
 * (`html`, `xml`, `text`, `csv`) have their decoded `text`, documents (`pdf`, `docx`, `xlsx`) their `bytes`. Calls
 * another operation where a browser is needed, so that side effects before it belong in a step.
 * @throws AppError the codes of a page load; `unsupported_content`; `target_blocked`.
 */
export async function readPage(
  input: PageQuery,
  job: JobContext,
  tools: PageTools,
  { accepts, tellsBlocked = false, wishes = {} }: ReadOptions = {},
): Promise<ReadPage> {
  const { copy, analyzed, cache } = await obtainPage(toPageQuery(input), wishes, job, tools);
  const { warnings, ...page } = copy;
  if (accepts?.includes(page.kind) === false) {
    const asked = accepts.map((kind) => kindNames[kind]).join(', ');
    const detail = `The target is ${kindNames[page.kind]}, which this call cannot read. Give the URL of one of these: ${asked}.`;
    throw new AppError('unsupported_content', detail);
  }
  const blocked = analyzed?.blocked ?? null;
  if (blocked !== null && !tellsBlocked) {
    throw targetBlocked(blocked, `with \`render: "browser"\`, ${orWithCookies}`);
  }
  job.tellCache(cache);
  if (page.status !== null && page.status >= 400 && !tellsBlocked)
    job.warn('error_status', `The target answered with status ${page.status}: this is its error page.`);
  for (const { code, message } of [...warnings, ...(analyzed?.notices ?? [])]) job.warn(code, message);
  return { ...page, title: page.title || (analyzed?.head.title ?? null), analyzed, blocked };
}
