import type { ApiContext } from './context.ts';
import readRawBody from 'raw-body';
import { AppError } from '../../shared/errors.ts';
import { refuseBrokenText } from './refuse-broken-text.ts';
import { refuseCostlyJson } from './refuse-costly-json.ts';

const usualKilobytes = 1024;
/** Of a body of 1 MiB, 64 bytes each. Node takes some microseconds for each, however small. */
const mostChunks = 16_384;
const tooManyChunks = new AppError(
  'body_too_large',
  `The body came in more than ${mostChunks.toLocaleString('en')} pieces. Send it with Content-Length, or in larger chunks.`,
);

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'type' in error && error.type === 'entity.too.large';
}

/**
 * @param mostKilobytes of 1,024 bytes.
 * @returns the text of the request's body.
 * @throws AppError `unsupported_media_type`, `body_too_large`, `invalid_request`.
 */
export async function readBody(ctx: ApiContext, mostKilobytes = usualKilobytes): Promise<string> {
  const encoding = ctx.get('Content-Encoding');
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw new AppError(
      'unsupported_media_type',
      `A ${encoding} encoded body is not read. Send the JSON as it is.`,
    );
  }
  const { 'content-length': length, 'transfer-encoding': chunked } = ctx.req.headers;
  if ((length === undefined || length === '0') && chunked === undefined) return '';
  const bytes = await readBytes(ctx, mostKilobytes * 1024);
  if (bytes.length === 0) return '';
  const { charset } = ctx.request;
  if (charset !== '' && !/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw new AppError(
      'unsupported_media_type',
      `A body in the charset ${charset} is not read. Send it in UTF-8, with charset=utf-8 or none in Content-Type.`,
    );
  }
  return decode(bytes);
}

/** What is no UTF-8 is refused: with its bytes replaced, another text than the client's would be stored. */
function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new AppError('invalid_request', 'The body is not UTF-8. Send the JSON in that encoding.');
  }
}

const sizeOf = (bytes: number) =>
  bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;

async function readBytes(ctx: ApiContext, limit: number): Promise<Buffer> {
  let chunks = 0;
  const tooMany = Promise.withResolvers<never>();
  const count = () => {
    if (++chunks <= mostChunks) return;
    // Not to be read to its end, which is what costs.
    ctx.req.pause();
    ctx.set('Connection', 'close');
    tooMany.reject(tooManyChunks);
  };
  ctx.req.on('data', count);
  try {
    const reading = readRawBody(ctx.req, { length: ctx.get('Content-Length'), limit });
    return await Promise.race([reading, tooMany.promise]);
  } catch (error) {
    if (error === tooManyChunks) throw error;
    if (isTooLarge(error)) {
      // Read and forgotten: a client that is still sending when the connection is cut never sees the answer.
      ctx.req.resume();
      throw new AppError(
        'body_too_large',
        `The body is larger than ${sizeOf(limit)} (${limit.toLocaleString('en')} bytes). Send a smaller request.`,
      );
    }
    throw new AppError('invalid_request', 'The body ended before its announced length.', { cause: error });
  } finally {
    ctx.req.off('data', count);
  }
}

/**
 * @param mayBeEmpty no body, also one that comes as no chunks, is an empty object.
 * @returns the parsed JSON object of the request's body.
 * @throws AppError as `readBody`.
 */
export async function readJsonObject(ctx: ApiContext, mayBeEmpty: boolean): Promise<Record<string, unknown>> {
  const text = await readBody(ctx);
  if (text === '' && mayBeEmpty) return {};
  if (text !== '' && !ctx.is('application/json', 'application/*+json')) {
    throw new AppError(
      'unsupported_media_type',
      `The body must be JSON, but Content-Type is ${ctx.get('Content-Type') || 'missing'}. Send the header Content-Type: application/json.`,
    );
  }
  refuseCostlyJson(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new AppError(
      'invalid_request',
      text === ''
        ? 'The body is empty. Send a JSON object.'
        : `The body is not JSON: ${(error as Error).message}. Check quotes and commas.`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new AppError(
      'invalid_request',
      'The body must be a JSON object, e.g. {"url": "https://example.com/"}.',
    );
  }
  const object = value as Record<string, unknown>;
  // Nothing else can write what is no text, in UTF-8.
  if (text.includes('\\u')) refuseBrokenText(object);
  return object;
}
