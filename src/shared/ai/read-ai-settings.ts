import ipaddr from 'ipaddr.js';
import type { AiSettings, ProviderSettings } from './ai-settings.ts';
import { extractiveModelId, type ListedModel, parseModelList, type ProviderName } from './model-list.ts';

interface Service {
  keyVariable: string;
  urlVariable: string;
  /** Null: the operator must name it. */
  usualUrl: string | null;
}

const services: Readonly<Record<ProviderName, Service>> = {
  openai: {
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    usualUrl: 'https://api.openai.com/v1',
  },
  anthropic: {
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    usualUrl: 'https://api.anthropic.com/v1',
  },
  google: {
    keyVariable: 'GOOGLE_API_KEY',
    urlVariable: 'GOOGLE_BASE_URL',
    usualUrl: 'https://generativelanguage.googleapis.com/v1beta',
  },
  compatible: { keyVariable: 'COMPATIBLE_API_KEY', urlVariable: 'COMPATIBLE_BASE_URL', usualUrl: null },
};

export const aiVariables: readonly string[] = [
  'AI_MODELS',
  'AI_DEFAULT_MODEL',
  ...Object.values(services).flatMap(({ keyVariable, urlVariable }) => [keyVariable, urlVariable]),
];

function isPrivateHost(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() !== 'unicast';
  return !host.includes('.') || /\.(?:local|localhost|internal|lan|home\.arpa)$/.test(host);
}

/** @throws Error that names the variable to set. */
function readProvider(name: ProviderName, model: ListedModel, env: NodeJS.ProcessEnv): ProviderSettings {
  const { keyVariable, urlVariable, usualUrl } = services[name];
  const ownUrl = env[urlVariable] || undefined;
  const apiKey = env[keyVariable] || null;
  const baseUrl = (ownUrl ?? usualUrl)?.replace(/\/+$/, '');
  if (baseUrl === undefined) {
    throw new Error(
      `names ${model.id}, but ${urlVariable} is not set. Set it to where the server answers, e.g. http://127.0.0.1:11434/v1`,
    );
  }
  if (!/^https?:\/\//.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new Error(`names ${model.id}, but ${urlVariable} is not an http(s) URL`);
  }
  // A server of one's own asks for no key, as a rule; the usual ones always do.
  if (apiKey === null && ownUrl === undefined) {
    throw new Error(`names ${model.id}, but ${keyVariable} is not set`);
  }
  // OpenAI's own newer protocol is spoken by few others.
  const speaksChatCompletions = name === 'compatible' || (name === 'openai' && ownUrl !== undefined);
  return { name, baseUrl, apiKey, speaksChatCompletions, isPrivate: isPrivateHost(baseUrl) };
}

/**
 * The models that the operator has listed, and their providers.
 * @throws Error whose message goes on after the name `AI_MODELS`.
 */
export function readAiSettings(env: NodeJS.ProcessEnv): AiSettings {
  const entries = (env['AI_MODELS'] ?? '').split(',').map((entry) => entry.trim());
  const models = parseModelList(entries.filter((entry) => entry !== ''));
  const providers: Partial<Record<ProviderName, ProviderSettings>> = {};
  for (const model of models) providers[model.provider] ??= readProvider(model.provider, model, env);
  const ids = [...models.map(({ id }) => id), extractiveModelId];
  const defaultModelId = (env['AI_DEFAULT_MODEL'] || ids[0]) ?? extractiveModelId;
  if (!ids.includes(defaultModelId)) {
    throw new Error(`and AI_DEFAULT_MODEL do not agree: "${defaultModelId}" is none of ${ids.join(', ')}`);
  }
  return { models, defaultModelId, providers };
}

/** Hosts of the providers, as `URL.host` spells them; they may be private, because the operator has named them. */
export function modelHosts({ providers }: AiSettings): string[] {
  return Object.values(providers).map(({ baseUrl }) => new URL(baseUrl).host);
}
