import { z } from 'zod';
import type { AiSettings, ProviderSettings } from '../shared/ai/ai-settings.ts';
import { extractiveModelId, type ListedModel, type ProviderName } from '../shared/ai/model-list.ts';
import type { EgressDoor } from '../shared/egress/types.ts';
import type { aiModels } from '../shared/schemas/ai-models.ts';

type ShownModel = z.output<typeof aiModels>['models'][number];

/** Which models can be used now. */
export interface ModelAvailability {
  list(): Promise<ShownModel[]>;
}

const asksEveryMs = 60_000;
/** A provider that has failed is asked again sooner. */
const asksFailedEveryMs = 10_000;
const answersWithinMs = 5_000;
const maxListBytes = 4 * 1024 * 1024;

/** What providers answer, each in its own way: OpenAI and Anthropic `data`, Google `models`. */
const modelList = z.object({
  data: z.array(z.object({ id: z.string() })).nullish(),
  models: z.array(z.object({ name: z.string() })).nullish(),
});
/** Of a server that speaks chat completions and lists no models. */
const listsNone = new Set([404, 405, 501]);

function askFor({ name, apiKey }: ProviderSettings): { query: string; headers: Record<string, string> } {
  if (name === 'anthropic') {
    return {
      query: '?limit=1000',
      headers: { 'anthropic-version': '2023-06-01', ...(apiKey !== null && { 'x-api-key': apiKey }) },
    };
  }
  if (name === 'google') {
    return { query: '?pageSize=1000', headers: apiKey === null ? {} : { 'x-goog-api-key': apiKey } };
  }
  return { query: '', headers: apiKey === null ? {} : { authorization: `Bearer ${apiKey}` } };
}

/** Names of the provider's models, `*` for all; null where it does not answer as it should. */
async function fetchNames(
  egress: EgressDoor,
  provider: ProviderSettings,
): Promise<ReadonlySet<string> | null> {
  const { query, headers } = askFor(provider);
  const url = `${provider.baseUrl}/models${query}`;
  try {
    await using lease = egress.openLease({ hosts: [new URL(url).host], byteBudget: maxListBytes });
    const { status, body } = await lease.fetch({
      url,
      originHeaders: headers,
      redirect: 'manual',
      timeoutMs: answersWithinMs,
      firstByteTimeoutMs: answersWithinMs,
      maxBodyBytes: maxListBytes,
    });
    if (provider.speaksChatCompletions && listsNone.has(status)) return new Set(['*']);
    if (status !== 200) return null;
    const { data, models } = modelList.parse(JSON.parse(body.toString()));
    return new Set([
      ...(data ?? []).map(({ id }) => id),
      ...(models ?? []).map((each) => each.name.replace(/^models\//, '')),
    ]);
  } catch {
    return null;
  }
}

/** Ollama lists a model with its tag and Anthropic with its date, also where it is asked for without; LiteLLM `openai/*`. */
function isListed(name: string, names: ReadonlySet<string>): boolean {
  if (names.has(name) || names.has(`${name}:latest`)) return true;
  if ([...names].some((each) => each.endsWith('*') && name.startsWith(each.slice(0, -1)))) return true;
  const dated = `${name.replace(/-latest$/, '')}-`;
  return [...names].some((each) => each.startsWith(dated) && /^\d{8}$/.test(each.slice(dated.length)));
}

interface Asked {
  names: Promise<ReadonlySet<string> | null>;
  /** By `performance.now()`; not while it is under way. */
  until: number;
}

/** Asks each provider for its models when somebody wants to know, at most once a minute. */
export function createModelAvailability(settings: AiSettings, egress: EgressDoor): ModelAvailability {
  const asked = new Map<ProviderName, Asked>();

  function namesOf(provider: ProviderSettings): Promise<ReadonlySet<string> | null> {
    const known = asked.get(provider.name);
    if (known !== undefined && known.until > performance.now()) return known.names;
    const entry: Asked = { names: fetchNames(egress, provider), until: Infinity };
    asked.set(provider.name, entry);
    void entry.names.then((names) => {
      entry.until = performance.now() + (names === null ? asksFailedEveryMs : asksEveryMs);
    });
    return entry.names;
  }

  async function show({ id, name, provider: providerName, contextTokens }: ListedModel): Promise<ShownModel> {
    const provider = settings.providers[providerName];
    const names = provider === undefined ? null : await namesOf(provider);
    return {
      id,
      name,
      provider: providerName,
      contextLength: contextTokens,
      default: id === settings.defaultModelId,
      available: names !== null && isListed(name, names),
      local: provider?.isPrivate ?? false,
    };
  }

  const builtIn: ShownModel = {
    id: extractiveModelId,
    name: 'extractive',
    provider: 'quarry',
    contextLength: null,
    default: settings.defaultModelId === extractiveModelId,
    available: true,
    local: true,
  };

  return {
    async list() {
      return [...(await Promise.all(settings.models.map(show))), builtIn];
    },
  };
}
