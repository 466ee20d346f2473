import { extractiveModelId } from '../../shared/ai/model-list.ts';

export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
}

export interface GenerateRequest {
  /** What the model is to do; ours alone. */
  system: string;
  /** The question with its material. */
  prompt: string;
  /** JSON Schema of the answer; without it the answer is text. */
  schema?: Readonly<Record<string, unknown>>;
  maxOutputTokens: number;
  signal: AbortSignal;
}

export interface Generated {
  text: string;
  /** Null where the provider does not tell. */
  usage: TokenUsage | null;
  /**
   * `cut`: before its end, most often where its length ends; `withheld`: refused by a content filter or by the model;
   * `untold`: its provider does not say.
   */
  ending: 'complete' | 'cut' | 'withheld' | 'untold';
}

interface ModelFacts {
  /** `provider/name`. */
  id: string;
  /** Tokens of prompt and answer together; null where nobody has said. */
  contextTokens: number | null;
  /** Nothing leaves the operator's network. */
  local: boolean;
}

/** A model that writes. */
export interface GenerativeModel extends ModelFacts {
  kind: 'generative';
  /**
   * One answer; a provider that is busy is asked again.
   * @throws AppError `upstream_failed` or `not_configured`, in words that name the provider; the reason of `signal`, or
   * where no request was under way, an error that it is the cause of.
   */
  generate(request: GenerateRequest): Promise<Generated>;
}

/** The built-in one, which chooses sentences of the text and writes none. */
export interface ExtractiveModel extends ModelFacts {
  kind: 'extractive';
}

export type Model = GenerativeModel | ExtractiveModel;

export const extractiveModel: ExtractiveModel = {
  kind: 'extractive',
  id: extractiveModelId,
  contextTokens: null,
  local: true,
};

export const noTokens: Readonly<TokenUsage> = { inputTokens: 0, outputTokens: 0 };

/** Of two calls together; null where that of one of them is not known. */
export function addUsage(a: TokenUsage | null, b: TokenUsage | null): TokenUsage | null {
  if (a === null || b === null) return null;
  return { inputTokens: a.inputTokens + b.inputTokens, outputTokens: a.outputTokens + b.outputTokens };
}
