import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { defaultSettingsMiddleware, type LanguageModel, wrapLanguageModel } from 'ai';
import type { ProviderSettings } from '../../shared/ai/ai-settings.ts';

/** A model as an object: the SDK would send one that is named by a string to a gateway of its own. */
export type SdkModel = Exclude<LanguageModel, string>;

/** Redirects are answered as they are: a key goes to the configured host only. */
function withoutRedirects(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => fetch(input, { ...init, redirect: 'manual' });
}

/** @param fetch the way out, bound to the provider's host. */
export function openProviderModel(
  { name, baseUrl, apiKey, speaksChatCompletions }: ProviderSettings,
  modelName: string,
  fetch: typeof globalThis.fetch,
): SdkModel {
  const options = { baseURL: baseUrl, fetch: withoutRedirects(fetch) };
  // An empty key, not none: the SDK looks for one in the environment otherwise.
  const keyed = { ...options, apiKey: apiKey ?? '' };
  if (speaksChatCompletions) {
    const server = createOpenAICompatible({
      ...options,
      name,
      supportsStructuredOutputs: true,
      ...(apiKey === null ? {} : { apiKey }),
    });
    return server(modelName);
  }
  switch (name) {
    case 'anthropic':
      return createAnthropic(keyed)(modelName);
    case 'google':
      return createGoogleGenerativeAI(keyed)(modelName);
    default:
      // What it is told is kept there for 30 days otherwise.
      return wrapLanguageModel({
        model: createOpenAI(keyed)(modelName),
        middleware: defaultSettingsMiddleware({
          settings: { providerOptions: { openai: { store: false } } },
        }),
      });
  }
}
