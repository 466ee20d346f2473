import { APICallError } from 'ai';
import { readRetryAfter } from '../../shared/egress/retry-after.ts';
import { AppError } from '../../shared/errors.ts';

const keyVariables: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_API_KEY',
  compatible: 'COMPATIBLE_API_KEY',
};

/** How providers say by 400 or 429 what is the operator's to mend: Google of keys, Anthropic and OpenAI of credit. */
const wrongKey = /API_KEY_INVALID|API key not valid/i;
const noCredit = /credit balance is too low|insufficient_quota/i;

const longestRetryAfter = 24 * 3_600;

/** When the provider wants to be asked again, in milliseconds from now; null where it does not say. */
export function retryAfterMs({ responseHeaders }: APICallError): number | null {
  // OpenAI's is the more exact one.
  const exact = Number.parseFloat(responseHeaders?.['retry-after-ms'] ?? '');
  return exact >= 0 ? exact : readRetryAfter(responseHeaders?.['retry-after']);
}

function retryAfterOf(error: APICallError): { retryAfterSeconds?: number } {
  const ms = retryAfterMs(error);
  return ms === null ? {} : { retryAfterSeconds: Math.min(Math.ceil(ms / 1_000), longestRetryAfter) };
}

/** The request is well, and no other would be answered either. */
export const isOperators = ({ statusCode, responseBody = '' }: APICallError): boolean =>
  (statusCode === 400 || statusCode === 429) && (wrongKey.test(responseBody) || noCredit.test(responseBody));

/** The provider refuses one request for its form, its length or what it says: it may take another. */
export class RefusedRequest extends AppError {
  constructor(detail: string, cause: unknown) {
    super('upstream_failed', detail, { cause, isFinal: true });
  }
}
const refusals = new Set([400, 413, 422]);

function ofAnswer(provider: string, error: APICallError): AppError {
  const { statusCode: status } = error;
  const options = { cause: error, ...retryAfterOf(error) };
  if (isOperators(error) && noCredit.test(error.responseBody ?? '')) {
    const detail = `The model provider ${provider} has no credit left for this server's key. Its operator must add some, or set ${keyVariables[provider] ?? 'the key'} to another.`;
    return new AppError('not_configured', detail, { cause: error });
  }
  if (status === 401 || status === 403 || isOperators(error)) {
    const detail = `The model provider ${provider} refuses this server's key. Its operator must set ${keyVariables[provider] ?? 'the key'}.`;
    return new AppError('not_configured', detail, { cause: error });
  }
  if (status === 404) {
    const detail = `The model provider ${provider} does not know the model. Choose another one of /ai/models.`;
    return new AppError('upstream_failed', detail, { cause: error, isFinal: true });
  }
  if (status === 429) {
    const detail = `The model provider ${provider} takes no more requests now (429). Try later.`;
    return new AppError('upstream_failed', detail, options);
  }
  if (status !== undefined && status >= 300 && status < 400) {
    const detail = `The model provider ${provider} redirects (${status}), which is not followed. Its operator must set the base URL to where it answers.`;
    return new AppError('not_configured', detail, { cause: error });
  }
  if (status !== undefined && status < 500 && status >= 400) {
    const detail = `The model provider ${provider} refused the request (${status}). Try another model or a shorter text.`;
    if (refusals.has(status)) return new RefusedRequest(detail, error);
    return new AppError('upstream_failed', detail, { cause: error, isFinal: true });
  }
  const what = status === undefined || status < 400 ? 'gave no usable answer' : `failed (${status})`;
  return new AppError('upstream_failed', `The model provider ${provider} ${what}. Try again later.`, options);
}

/** The failure of the operator's proxy, which the SDK wraps; null where it is another one. */
export function findProxyFailure(error: unknown): AppError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError && cause.code === 'egress_proxy_failed') return cause;
  }
  return null;
}

/** It has perhaps written an answer, which is billed though it did not come here. */
function wasAnsweredInVain({ statusCode, cause }: APICallError): boolean {
  if (statusCode !== undefined) return statusCode < 300;
  for (let inner = cause; inner instanceof Error; inner = inner.cause)
    if (inner instanceof AppError) return inner.code === 'target_timeout';
  return false;
}

/** The provider has not been reached, or has refused: that takes no tokens. */
export const isRefusal = (error: unknown): boolean =>
  findProxyFailure(error) !== null || (APICallError.isInstance(error) && !wasAnsweredInVain(error));

/** An error of the SDK in the words of this service. Nothing of the provider's text reaches the client. */
export function toProviderFailure(provider: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const proxyFailure = findProxyFailure(error);
  if (proxyFailure !== null) {
    const detail = `The model provider ${provider} could not be reached: ${proxyFailure.detail}`;
    return new AppError('upstream_failed', detail, { cause: error });
  }
  if (APICallError.isInstance(error)) return ofAnswer(provider, error);
  const detail = `The model provider ${provider} gave no usable answer. Try again later.`;
  return new AppError('upstream_failed', detail, { cause: error });
}

/** The provider would take the same request without a schema, perhaps: it names none of the usual other reasons. */
export function isBadRequest(error: unknown): boolean {
  if (!APICallError.isInstance(error) || isOperators(error)) return false;
  return error.statusCode === 400 || error.statusCode === 422;
}
