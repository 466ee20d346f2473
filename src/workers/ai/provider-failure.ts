import { APICallError, RetryError } from 'ai';
import { AppError } from '../../shared/errors.ts';

const keyVariables: Readonly<Record<string, string>> = {
  openai: 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
  google: 'GOOGLE_API_KEY',
  compatible: 'COMPATIBLE_API_KEY',
};

const longestRetryAfter = 24 * 3_600;

function retryAfterOf(error: APICallError): { retryAfterSeconds?: number } {
  const seconds = Number(error.responseHeaders?.['retry-after']);
  return Number.isFinite(seconds) && seconds >= 0
    ? { retryAfterSeconds: Math.min(Math.ceil(seconds), longestRetryAfter) }
    : {};
}

function ofAnswer(provider: string, error: APICallError): AppError {
  const { statusCode: status } = error;
  const options = { cause: error, ...retryAfterOf(error) };
  if (status === 401 || status === 403) {
    const detail = `The model provider ${provider} refuses this server's key. Its operator must set ${keyVariables[provider] ?? 'the key'}.`;
    return new AppError('not_configured', detail, { cause: error });
  }
  if (status === 404) {
    const detail = `The model provider ${provider} does not know the model. Choose another one of /ai/models.`;
    return new AppError('upstream_failed', detail, { cause: error, isFinal: true });
  }
  if (status === 429) {
    const detail = `The model provider ${provider} takes no more requests now (429), and kept to it when it was asked again. Try later.`;
    return new AppError('upstream_failed', detail, options);
  }
  if (status !== undefined && status >= 300 && status < 400) {
    const detail = `The model provider ${provider} redirects (${status}), which is not followed. Its operator must set the base URL to where it answers.`;
    return new AppError('not_configured', detail, { cause: error });
  }
  if (status !== undefined && status < 500 && status >= 400) {
    const detail = `The model provider ${provider} refused the request (${status}). Try another model or a shorter text.`;
    return new AppError('upstream_failed', detail, { cause: error, isFinal: true });
  }
  const what = status === undefined || status < 400 ? 'gave no usable answer' : `failed (${status})`;
  return new AppError('upstream_failed', `The model provider ${provider} ${what}. Try again later.`, options);
}

/** An error of the SDK in the words of this service. Nothing of the provider's text reaches the client. */
export function toProviderFailure(provider: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  const last = RetryError.isInstance(error) ? error.lastError : error;
  if (APICallError.isInstance(last)) return ofAnswer(provider, last);
  const detail = `The model provider ${provider} gave no usable answer. Try again later.`;
  return new AppError('upstream_failed', detail, { cause: error });
}

/** The provider would take the same request without a schema, perhaps: it names none of the usual other reasons. */
export function isBadRequest(error: unknown): boolean {
  return APICallError.isInstance(error) && (error.statusCode === 400 || error.statusCode === 422);
}
