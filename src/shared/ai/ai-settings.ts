import type { ListedModel, ProviderName } from './model-list.ts';

/** How a provider is reached. */
export interface ProviderSettings {
  name: ProviderName;
  /** Without a slash at its end. */
  baseUrl: string;
  /** Null where the server asks for none. */
  apiKey: string | null;
  /** Its answers are those of chat completions, whoever it is. */
  speaksChatCompletions: boolean;
  /** The server is in a private network: the text does not leave it. */
  isPrivate: boolean;
}

/** What the operator has set about models; made by `config.ts`. */
export interface AiSettings {
  models: readonly ListedModel[];
  /** Of `models`, or the built-in one. */
  defaultModelId: string;
  providers: Readonly<Partial<Record<ProviderName, ProviderSettings>>>;
}
