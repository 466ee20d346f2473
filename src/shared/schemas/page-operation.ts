import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import type { QueuedOperation, QueueName, Route } from '../operation.ts';
import { contentErrors, pageErrors } from './page-errors.ts';
import { pageOptions, targetUrl } from './page-options.ts';
import { listResults, urlList } from './url-list.ts';

/** Of a batch, about as many pages are read at a time. */
const batchWidth = 8;
/** A plain load, then perhaps one in a browser; and what stands between them. */
const pageTimeoutMs = (timeout: number) => 2 * timeout + 30_000;
const batchWaitMs = 110_000;

const browserForWait = {
  path: ['waitFor'],
  message: '`waitFor` needs the browser: omit it, or set `render` to auto or browser',
};

/** The same for the API reference. */
const documentedBrowserForWait = {
  not: { properties: { render: { const: 'http' } }, required: ['render', 'waitFor'] },
};

function needsNoBrowserForWait(input: object): boolean {
  const { render, waitFor } = input as { render?: string; waitFor?: string };
  return render !== 'http' || waitFor === undefined;
}

function pageInput<Fields extends z.ZodRawShape>(fields: Fields) {
  return z
    .strictObject({ url: targetUrl, ...pageOptions, ...fields })
    .refine(needsNoBrowserForWait, browserForWait)
    .meta(documentedBrowserForWait);
}

/**
 * What all operations on one page have in common, to be spread into `defineOperation`.
 * @example defineOperation({ id: 'web.extract', …, ...pageOperation({ path: '…/extract', fields: { selector } }), output })
 */
export function pageOperation<Fields extends z.ZodRawShape, Queue extends QueueName = 'http'>(spec: {
  /** Default `http`: the queue whose workers have a page reader. */
  queue?: Queue;
  path: Route['path'];
  /** Beside `url` and the page options. */
  fields: Fields;
  /** Whether it answers content, so that a bot challenge is the error `target_blocked`. Default true. */
  isContent?: boolean;
  /** Codes of its own. */
  errors?: readonly ErrorCode[];
  /** Milliseconds that it takes beside the load of the page. */
  extraMs?: number;
}) {
  const { path, fields, isContent = true, errors = [], extraMs = 0 } = spec;
  return {
    queue: (spec.queue ?? 'http') as Queue,
    route: { method: 'POST', path } satisfies Route,
    targets: (input: { url: string }) => [input.url],
    timeoutMs: (input: { timeout: number }) => pageTimeoutMs(input.timeout) + extraMs,
    input: pageInput(fields),
    errors: [...(isContent ? contentErrors : pageErrors), ...errors],
  };
}

type PageOperation<Shape extends z.ZodRawShape, Output extends z.ZodType> = Pick<
  QueuedOperation<z.ZodObject<Shape>, Output>,
  'input' | 'output' | 'queue' | 'timeoutMs'
>;

/** The batch form of an operation on one page, to be spread into `defineOperation`; its handler is `batchHandler`. */
export function batchOf<Shape extends z.ZodRawShape, Output extends z.ZodType>(
  single: PageOperation<Shape, Output>,
  { path, maxUrls = 100 }: { path: Route['path']; maxUrls?: number },
) {
  const { url: _url, ...options } = single.input.shape;
  const input = z.strictObject({ urls: urlList(maxUrls), ...(options as Omit<Shape, 'url'>) });
  return {
    queue: single.queue,
    route: { method: 'POST', path } satisfies Route,
    timeoutMs: ({ urls, ...rest }: { urls: readonly string[] }) =>
      Math.ceil(urls.length / batchWidth) *
      single.timeoutMs({ ...rest, url: '' } as unknown as z.output<z.ZodObject<Shape>>),
    waitMs: batchWaitMs,
    input: input.refine(needsNoBrowserForWait, browserForWait).meta(documentedBrowserForWait),
    output: listResults(single.output),
    errors: [] as const,
  };
}
