import type { z } from 'zod';
import { AppError, errorKindOf, toStoredError, type StoredError } from '../../shared/errors.ts';
import type { OutputOf, QueuedOperation, RequestOf } from '../../shared/operation.ts';
import type { Warning } from '../../shared/schemas/job.ts';
import type { listResults } from '../../shared/schemas/url-list.ts';
import type { CallResult, JobContext } from '../handler.ts';

type ListResults<Data> = Omit<z.output<ReturnType<typeof listResults>>, 'results'> & {
  results: { url: string; ok: boolean; data?: Data; error?: EntryError; warnings?: Warning[] }[];
};
type EntryError = NonNullable<z.output<ReturnType<typeof listResults>>['results'][number]['error']>;

function toEntryError({ code, detail }: StoredError): EntryError {
  const { status, title, retryable } = errorKindOf(code);
  return { code, title, status, detail, retryable };
}

const refusedUrl = (detail: string) => ({
  ok: false as const,
  error: toStoredError(new AppError('invalid_request', detail)),
});

/** Why the operation would not take this URL's request at all; null where it would. */
function flawOf(operation: QueuedOperation, request: unknown): string | null {
  const { error } = operation.input.safeParse(request);
  return error === undefined ? null : error.issues.map(({ message }) => message).join(' ');
}

/** Of what a list repeats, in the JSON of its answer: the results themselves are bounded where they are gathered. */
const maxRepeatedBytes = 32 * 1024 * 1024;

const repeatedTooMuch = new AppError(
  'target_too_large',
  `The same URLs again would add more than ${maxRepeatedBytes / 1024 ** 2} MB to the answer. Their result stands at the first of them; give each URL once.`,
);

/** Tells of each URL of the list in turn whether its result may be repeated, where it was there before. */
function createRepeats() {
  const sizes = new Map<string, number>();
  let left = maxRepeatedBytes;
  return (url: string, output: unknown): boolean => {
    const size = sizes.get(url);
    if (size === undefined) {
      sizes.set(url, 0);
      return true;
    }
    const bytes = size || Buffer.byteLength(JSON.stringify(output));
    sizes.set(url, bytes);
    if (bytes > left) return false;
    left -= bytes;
    return true;
  };
}

/**
 * The batch form of an operation on one URL: one job a URL, the same URL once, answers in the order of the list.
 * @param toRequest the request for one URL of the list.
 */
export async function readEach<Op extends QueuedOperation>(
  job: JobContext,
  operation: Op,
  urls: readonly string[],
  toRequest: (url: string) => RequestOf<Op>,
): Promise<ListResults<OutputOf<Op>>> {
  const byUrl = new Map<string, CallResult<Op>>();
  for (const url of new Set(urls)) {
    const flaw = url.trim() === '' ? 'The URL is empty.' : flawOf(operation, toRequest(url));
    if (flaw !== null) byUrl.set(url, refusedUrl(`${flaw} Give the absolute URL of a page.`));
  }
  const asked = [...new Set(urls)].filter((url) => !byUrl.has(url));
  const answers = await job.callAll(operation, asked.map(toRequest));
  for (const [index, url] of asked.entries()) byUrl.set(url, answers[index] as CallResult<Op>);
  const mayRepeat = createRepeats();
  const results = urls.map((url) => {
    const answer = byUrl.get(url) as CallResult<Op>;
    if (!answer.ok) return { url, ok: false, error: toEntryError(answer.error) };
    if (!mayRepeat(url, answer.output))
      return { url, ok: false, error: toEntryError(toStoredError(repeatedTooMuch)) };
    const { output: data, warnings } = answer;
    return { url, ok: true, data, ...(warnings.length > 0 && { warnings: [...warnings] }) };
  });
  const succeeded = results.filter((entry) => entry.ok).length;
  return { results, succeeded, failed: results.length - succeeded };
}
