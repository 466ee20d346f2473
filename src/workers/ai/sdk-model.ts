import { setTimeout as sleep } from 'node:timers/promises';
import {
  APICallError,
  type FinishReason,
  generateText,
  jsonSchema,
  NoObjectGeneratedError,
  Output,
} from 'ai';
import { AppError } from '../../shared/errors.ts';
import { markUnbilled } from './billing.ts';
import type { Generated, GenerateRequest, GenerativeModel, TokenUsage } from './model.ts';
import {
  findProxyFailure,
  isBadRequest,
  isOperators,
  isRefusal,
  retryAfterMs,
  toProviderFailure,
} from './provider-failure.ts';
import type { SdkModel } from './provider-model.ts';

// Its warnings would go to the terminal, past our log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Beside the first attempt. */
const retries = 3;
/** A provider that wants more is not asked again. */
const longestWaitMs = 60_000;
const backoffMs = (attempt: number) => 2_000 * 2 ** attempt;

export interface SdkModelOptions {
  id: string;
  provider: string;
  contextTokens: number | null;
  local: boolean;
  /** Gives the SDK's model a way out that ends with the call. */
  withSdkModel<T>(signal: AbortSignal, run: (model: SdkModel) => Promise<T>): Promise<T>;
  /** Of one call, its retries included. */
  timeoutMs: number;
}

interface SdkUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

/** No question takes 0 tokens: who says so has not counted. */
function toUsage({ inputTokens, outputTokens }: Partial<SdkUsage> = {}): TokenUsage | null {
  return !inputTokens || outputTokens === undefined ? null : { inputTokens, outputTokens };
}

/** Words of servers that the SDK does not know, such as `eos_token` and `end_turn`. */
const ownEnds = /^(?:stop|eos|end|complete|finish)/i;

/** @param told the provider's own word. */
function toEnding(reason: FinishReason | undefined, told: string | undefined): Generated['ending'] {
  if (reason === 'content-filter') return 'withheld';
  if (reason === 'stop') return 'complete';
  if (reason !== undefined && reason !== 'other') return 'cut';
  if (!told) return 'untold';
  return ownEnds.test(told) ? 'complete' : 'cut';
}

interface BoundedRequest extends GenerateRequest {
  /** A provider is asked at this moment, or was, and has perhaps written an answer. */
  mayBeBilled: boolean;
}

async function ask(
  model: SdkModel,
  request: BoundedRequest,
  schema: GenerateRequest['schema'],
): Promise<Generated> {
  const { system, prompt, maxOutputTokens, signal } = request;
  signal.throwIfAborted();
  request.mayBeBilled = true;
  try {
    const { text, usage, finishReason, rawFinishReason } = await generateText({
      model,
      instructions: system,
      prompt,
      maxOutputTokens,
      maxRetries: 0,
      abortSignal: signal,
      ...(schema === undefined ? {} : { output: Output.object({ schema: jsonSchema(schema) }) }),
    });
    return { text, usage: toUsage(usage), ending: toEnding(finishReason, rawFinishReason) };
  } catch (error) {
    // What is no JSON is for the caller to judge, and was paid for.
    if (NoObjectGeneratedError.isInstance(error) && error.text !== undefined) {
      return {
        text: error.text,
        usage: toUsage(error.usage),
        ending: toEnding(error.finishReason, undefined),
      };
    }
    throw error;
  }
}

/** Asks a provider that is busy again, after the time that it names. */
async function askPatiently(...[model, request, schema]: Parameters<typeof ask>): Promise<Generated> {
  for (let attempt = 0; ; attempt++) {
    const before = request.mayBeBilled;
    try {
      return await ask(model, request, schema);
    } catch (error) {
      // A way out that ends with the call fails as one that was never there.
      if (!request.signal.aborted && isRefusal(error)) request.mayBeBilled = before;
      if (!APICallError.isInstance(error) || !error.isRetryable || attempt === retries) throw error;
      if (isOperators(error)) throw error;
      if (findProxyFailure(error) !== null) throw error;
      const waitMs = retryAfterMs(error) ?? backoffMs(attempt);
      if (waitMs > longestWaitMs) throw error;
      await sleep(waitMs, undefined, { signal: request.signal });
    }
  }
}

/** Servers that know no schemas say so in many ways; they are asked for text then. */
async function askInAnyForm(model: SdkModel, request: BoundedRequest): Promise<Generated> {
  try {
    return await askPatiently(model, request, request.schema);
  } catch (error) {
    if (request.schema === undefined || !isBadRequest(error)) throw error;
    return await askPatiently(model, request, undefined);
  }
}

/** A model of a provider, asked through the AI SDK. */
export function createSdkModel(options: SdkModelOptions): GenerativeModel {
  const { id, provider, contextTokens, local, withSdkModel, timeoutMs } = options;
  return {
    kind: 'generative',
    id,
    contextTokens,
    local,
    async generate(request) {
      const time = AbortSignal.timeout(timeoutMs);
      const bounded = { ...request, signal: AbortSignal.any([request.signal, time]), mayBeBilled: false };
      try {
        return await withSdkModel(bounded.signal, (model) => askInAnyForm(model, bounded));
      } catch (error) {
        // The reason is that of other calls too, which are perhaps billed.
        if (request.signal.aborted && !bounded.mayBeBilled)
          throw markUnbilled(new Error('The call was not under way.', { cause: request.signal.reason }));
        request.signal.throwIfAborted();
        if (time.aborted) {
          const detail = `The model provider ${provider} did not answer within ${timeoutMs / 1_000} s. Try a smaller model or a shorter text.`;
          const failure = new AppError('upstream_failed', detail, { cause: error });
          throw bounded.mayBeBilled ? failure : markUnbilled(failure);
        }
        const failure = toProviderFailure(provider, error);
        throw bounded.mayBeBilled ? failure : markUnbilled(failure);
      }
    },
  };
}
