import { createModels, type Models } from '../ai/models.ts';
import type { TokenUsage } from '../ai/model.ts';
import type { JobTools, ToolsContext } from './context.ts';

export interface AiTools extends JobTools {
  readonly models: Models;
}

export function createAiTools({ config, db, jobTools, metrics }: ToolsContext): AiTools {
  const { openLease } = jobTools;
  const onUsage = (model: string, { inputTokens, outputTokens }: TokenUsage): void => {
    metrics.modelTokens.inc({ model, direction: 'input' }, inputTokens);
    metrics.modelTokens.inc({ model, direction: 'output' }, outputTokens);
  };
  return { ...jobTools, models: createModels({ settings: config.ai, db, openLease, onUsage }) };
}
