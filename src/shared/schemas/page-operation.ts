import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { longWaitMs, type QueuedOperation, type QueueName, type Route } from '../operation.ts';
import { contentErrors } from './page-errors.ts';
import { pageOptions, targetUrl } from './page-options.ts';
import { listResults, urlList } from './url-list.ts';

/** Of a batch, about as many pages are read at a time. */
const batchWidth = 8;
/** A plain load, then perhaps one in a browser; and what stands between them. */
const pageTimeoutMs = (timeout: number) => 2 * timeout + 30_000;

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

type Options = Partial<typeof pageOptions>;

/** Where both can be asked for. */
function withBrowserForWait<Shape extends z.ZodRawShape>(input: z.ZodObject<Shape, z.core.$strict>) {
  return 'render' in input.shape && 'waitFor' in input.shape
    ? input.refine(needsNoBrowserForWait, browserForWait).meta(documentedBrowserForWait)
    : input;
}

/**
 * What all operations on one page have in common, to be spread into `defineOperation`.
 * @example defineOperation({ id: 'web.extract', …, ...pageOperation({ path: '…/extract', fields: { selector } }), output })
 */
export function pageOperation<
  Fields extends z.ZodRawShape,
  Queue extends QueueName = 'http',
  Taken extends Options = typeof pageOptions,
>(spec: {
  /** Default `http`: the queue whose workers have a page reader. */
  queue?: Queue;
  path: Route['path'];
  /** Default: all page options. */
  options?: Taken;
  /** Beside `url` and the page options. */
  fields: Fields;
  /** What the load of the page can fail with; default `contentErrors`, by which a bot challenge is `target_blocked`. */
  loadErrors?: readonly ErrorCode[];
  /** Codes of its own. */
  errors?: readonly ErrorCode[];
  /** Milliseconds that it takes beside the load of the page. */
  extraMs?: number;
}) {
  const { path, fields, loadErrors = contentErrors, errors = [], extraMs = 0 } = spec;
  const options = (spec.options ?? pageOptions) as Taken;
  const canOccur = (code: ErrorCode) => code !== 'selector_not_found' || 'waitFor' in options;
  return {
    queue: (spec.queue ?? 'http') as Queue,
    route: { method: 'POST', path } satisfies Route,
    targets: (input: { url: string }) => [input.url],
    timeoutMs: (input: { timeout: number }) => pageTimeoutMs(input.timeout) + extraMs,
    input: withBrowserForWait(z.strictObject({ url: targetUrl, ...options, ...fields })),
    errors: [...loadErrors.filter(canOccur), ...errors],
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
    waitMs: longWaitMs,
    input: withBrowserForWait(input),
    output: listResults(single.output),
    errors: [] as const,
  };
}
