import { isUtf8 } from 'node:buffer';
import { AppError } from '../../../shared/errors.ts';
import type { TextKind } from '../../page/html/declared-charset.ts';

const maxBytes = 16 * 1024 * 1024;

/** A request that did not come so far as an answer; the caller asks the egress door for the cause. */
export class FetchFailed extends Error {
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`fetching ${url} failed`, { cause });
    this.name = 'FetchFailed';
    this.url = url;
  }
}

/** @throws FetchFailed without an answer. */
export async function ask(fetchIt: typeof fetch, url: string, init: RequestInit = {}): Promise<Response> {
  try {
    return await fetchIt(url, init);
  } catch (cause) {
    throw new FetchFailed(url, cause);
  }
}

/** The body, in bounded memory. @throws AppError `target_too_large`; FetchFailed where it ends early. */
async function bytesOf(response: Response, bound: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.length;
      if (size > bound) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new FetchFailed(response.url, cause);
  }
  if (size > bound) {
    await response.body?.cancel().catch(() => undefined);
    throw new AppError(
      'target_too_large',
      `The answer is larger than the ${bound} bytes that are read of it.`,
    );
  }
  return Buffer.concat(chunks);
}

/** The body as text, which is UTF-8. @throws as `bytesOf` */
export async function textOf(response: Response, bound = maxBytes): Promise<string> {
  return (await bytesOf(response, bound)).toString('utf8');
}

/** The body of somebody's page or caption file as text, in whatever encoding it is. @throws as `bytesOf` */
export async function foreignTextOf(response: Response, kind: TextKind): Promise<string> {
  const bytes = await bytesOf(response, maxBytes);
  if (isUtf8(bytes) && !bytes.includes(0)) return bytes.toString('utf8');
  const { decodeText, findCharset } = await import('../../page/html/charset.ts');
  return decodeText(bytes, findCharset(bytes, response.headers.get('content-type') ?? '', kind));
}

const isGone = (status: number): boolean => status === 404 || status === 410;

/**
 * What a status says before the body is read, where a video's page or file is asked for: what is not there is no video.
 * @throws AppError unless it is a success.
 */
export function checkStatus(response: Response, platform: string): void {
  if (response.ok) return;
  void response.body?.cancel().catch(() => undefined);
  throw ofStatus(response.status, platform);
}

/** As `checkStatus`, where an interface of a platform is asked: one that is not there tells nothing of a video. */
export function checkInterface(response: Response, platform: string): void {
  if (isGone(response.status)) {
    void response.body?.cancel().catch(() => undefined);
    throw ofInterface(response.status, platform);
  }
  checkStatus(response, platform);
}

/** As `checkStatus`, where a file of captions is asked for. */
export function checkCaptions(response: Response, platform: string): void {
  if (isGone(response.status)) {
    void response.body?.cancel().catch(() => undefined);
    const detail = `${platform} answered ${response.status} to a request for the captions that it names.`;
    throw new AppError('captions_unavailable', detail);
  }
  checkStatus(response, platform);
}

const ofInterface = (status: number, platform: string): AppError =>
  new AppError('upstream_failed', `${platform} answered ${status}. Try again later.`);

/** @param status of an answer that is no success, to a request for a video's page or file. */
export function ofStatus(status: number, platform: string): AppError {
  if (isGone(status)) return notFound();
  if ([401, 403, 407, 429, 451].includes(status))
    return blocked(`${platform} answered ${status}: it does not serve requests from here at the moment.`);
  return ofInterface(status, platform);
}

/** Of a platform's interface. @throws AppError `platform_blocked` where a page came in place of JSON. */
export async function jsonOf(response: Response, platform: string): Promise<unknown> {
  checkInterface(response, platform);
  const text = await textOf(response);
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (/^\s*</.test(text)) throw blocked(`${platform} answered with a web page where data were asked.`);
    throw new AppError('upstream_failed', `${platform} answered with something that is not JSON.`, { cause });
  }
}

export function notFound(): AppError {
  return new AppError('video_not_found', 'There is no such video, or it was taken down. Check the URL.');
}

export function blocked(detail: string): AppError {
  return new AppError('platform_blocked', detail);
}
