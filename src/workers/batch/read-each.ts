import type { z } from 'zod';
import { AppError, errorKinds, toStoredError, type StoredError } from '../../shared/errors.ts';
import type { OutputOf, QueuedOperation, RequestOf } from '../../shared/operation.ts';
import type { listResults } from '../../shared/schemas/url-list.ts';
import type { CallResult, JobContext } from '../handler.ts';

type ListResults<Data> = Omit<z.output<ReturnType<typeof listResults>>, 'results'> & {
  results: { url: string; ok: boolean; data?: Data; error?: EntryError }[];
};
type EntryError = NonNullable<z.output<ReturnType<typeof listResults>>['results'][number]['error']>;

function toEntryError({ code, detail }: StoredError): EntryError {
  const { status, title, retryable } = errorKinds[code];
  return { code, title, status, detail, retryable };
}

const emptyUrl = toStoredError(
  new AppError('invalid_request', 'The URL is empty. Give the absolute URL of a page.'),
);

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
  const distinct = [...new Set(urls)].filter((url) => url.trim() !== '');
  const answers = await job.callAll(operation, distinct.map(toRequest));
  const byUrl = new Map<string, CallResult<Op>>(
    distinct.map((url, index) => [url, answers[index] as CallResult<Op>]),
  );
  const results = urls.map((url) => {
    const answer = byUrl.get(url) ?? { ok: false as const, error: emptyUrl };
    return answer.ok
      ? { url, ok: true, data: answer.output }
      : { url, ok: false, error: toEntryError(answer.error) };
  });
  const succeeded = results.filter((entry) => entry.ok).length;
  return { results, succeeded, failed: results.length - succeeded };
}
