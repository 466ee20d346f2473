import { generateText, jsonSchema, NoObjectGeneratedError, Output } from 'ai';
import { AppError } from '../../shared/errors.ts';
import type { Generated, GenerateRequest, GenerativeModel, TokenUsage } from './model.ts';
import { isBadRequest, toProviderFailure } from './provider-failure.ts';
import type { SdkModel } from './provider-model.ts';

// Its warnings would go to the terminal, past our log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/** Beside the first attempt; the SDK waits as long as Retry-After says, up to a minute. */
const retries = 3;

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

const toUsage = (usage: SdkUsage | undefined): TokenUsage => ({
  inputTokens: usage?.inputTokens ?? 0,
  outputTokens: usage?.outputTokens ?? 0,
});

async function ask(
  model: SdkModel,
  request: GenerateRequest,
  schema: GenerateRequest['schema'],
): Promise<Generated> {
  const { system, prompt, maxOutputTokens, signal } = request;
  try {
    const { text, usage } = await generateText({
      model,
      instructions: system,
      prompt,
      maxOutputTokens,
      maxRetries: retries,
      abortSignal: signal,
      ...(schema === undefined ? {} : { output: Output.object({ schema: jsonSchema(schema) }) }),
    });
    return { text, usage: toUsage(usage) };
  } catch (error) {
    // What is no JSON is for the caller to judge, and was paid for.
    if (NoObjectGeneratedError.isInstance(error) && error.text !== undefined) {
      return { text: error.text, usage: toUsage(error.usage) };
    }
    throw error;
  }
}

/** Servers that know no schemas say so in many ways; they are asked for text then. */
async function askInAnyForm(model: SdkModel, request: GenerateRequest): Promise<Generated> {
  try {
    return await ask(model, request, request.schema);
  } catch (error) {
    if (request.schema === undefined || !isBadRequest(error)) throw error;
    return await ask(model, request, undefined);
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
      const bounded = { ...request, signal: AbortSignal.any([request.signal, time]) };
      try {
        return await withSdkModel(bounded.signal, (model) => askInAnyForm(model, bounded));
      } catch (error) {
        request.signal.throwIfAborted();
        if (time.aborted) {
          const detail = `The model provider ${provider} did not answer within ${timeoutMs / 1_000} s. Try a smaller model or a shorter text.`;
          throw new AppError('upstream_failed', detail, { cause: error });
        }
        throw toProviderFailure(provider, error);
      }
    },
  };
}
