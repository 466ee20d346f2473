/** Who serves a model: three by their own protocols, and any server that speaks OpenAI's chat completions. */
const providerNames = ['openai', 'anthropic', 'google', 'compatible'] as const;
export type ProviderName = (typeof providerNames)[number];

export interface ListedModel {
  /** `provider/name`, as clients write it. */
  id: string;
  /** As the provider knows it. */
  name: string;
  provider: ProviderName;
  /** Tokens of prompt and answer together; null where neither the list nor the table below tells. */
  contextTokens: number | null;
}

/** The model that needs no provider. */
export const extractiveModelId = 'quarry/extractive';

/** By the providers' own documentation; a list entry `provider/name@tokens` goes before. */
const knownContexts: readonly [pattern: RegExp, tokens: number][] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^gpt-5/, 400_000],
  [/^gpt-4o|^gpt-4-turbo/, 128_000],
  [/^o[134](?:-|$)/, 200_000],
  [/^claude-/, 200_000],
  [/^gemini-/, 1_048_576],
];

/** What they write at a time at most, where that is less than is asked of others; by the same documentation. */
const shortAnswers: readonly [pattern: RegExp, tokens: number][] = [
  [/^openai\/gpt-4-turbo|^openai\/gpt-4o-2024-05-13|^anthropic\/claude-3-(?:opus|sonnet|haiku)/, 4_096],
  [/^anthropic\/claude-3-5-|^google\/gemini-(?:1\.5|2\.0)/, 8_192],
];
export const longestAnswer = (id: string): number =>
  shortAnswers.find(([pattern]) => pattern.test(id))?.[1] ?? Infinity;

/** A question, an answer and some of the text. */
const fewestTokens = 2_500;

/** Those that think before they answer, which counts as output. */
const thinking = /^(?:openai\/(?:gpt-5|o\d)|google\/gemini-(?:2\.5|[3-9])|anthropic\/claude-[a-z]+-[4-9])/;
export const thinksFirst = (id: string): boolean => thinking.test(id);

const entryPattern = /^([a-z]+)\/([^\s,]+?)(?:@(\d{3,8}))?$/;

/**
 * Reads `AI_MODELS`: `openai/gpt-5-mini, compatible/llama3.1:8b@32768`.
 * @throws Error that names the entry that cannot be read.
 */
export function parseModelList(entries: readonly string[]): ListedModel[] {
  return entries.map((entry) => {
    const [, providerText, name, tokens] = entryPattern.exec(entry) ?? [];
    const provider = providerNames.find((known) => known === providerText);
    if (provider === undefined || name === undefined) {
      throw new Error(
        `names "${entry}". Write models as provider/name, the provider one of ${providerNames.join(', ')}, e.g. openai/gpt-5-mini`,
      );
    }
    const known =
      provider === 'compatible' ? undefined : knownContexts.find(([pattern]) => pattern.test(name));
    const contextTokens = tokens === undefined ? (known?.[1] ?? null) : Number(tokens);
    if (contextTokens !== null && contextTokens < fewestTokens) {
      throw new Error(
        `gives "${entry}" ${contextTokens} tokens. A summary needs ${fewestTokens} at least, of question and answer together`,
      );
    }
    return { id: `${provider}/${name}`, name, provider, contextTokens };
  });
}
