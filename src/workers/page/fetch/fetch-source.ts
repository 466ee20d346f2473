import type { EgressLease } from '../../../shared/egress/types.ts';
import { decodeText, findCharset } from '../html/charset.ts';
import type { AskedPage } from '../page-request.ts';
import { mediaTypeOf, pageHeadersOf } from './fetch-page.ts';

const maxBytes = 2_000_000;

export interface FetchedSource {
  text: string;
  /** By which it was decoded, as WHATWG calls it. */
  charset: string;
}

/**
 * XML once more, over plain HTTP: of a document that its style sheet has put another in the place of, a browser keeps
 * nothing.
 * @param status of the answer that the browser was given.
 * @returns null where it does not come, or not whole, or with another status.
 */
export async function fetchSource(
  lease: EgressLease,
  { url, status, timeoutMs, ...asked }: AskedPage & { url: string; status: number; timeoutMs: number },
): Promise<FetchedSource | null> {
  const answer = await lease
    .fetch({ url, ...pageHeadersOf(asked), timeoutMs, maxBodyBytes: maxBytes })
    .catch(() => null);
  lease.signal.throwIfAborted();
  if (answer?.status !== status || answer.truncated || !/xml/.test(mediaTypeOf(answer.headers) ?? ''))
    return null;
  const charset = findCharset(answer.body, answer.headers['content-type'] ?? '', 'xml');
  return { text: decodeText(answer.body, charset), charset };
}
