import { createModels, type Models } from '../ai/models.ts';
import type { JobTools, ToolsContext } from './context.ts';

export interface AiTools extends JobTools {
  readonly models: Models;
}

export function createAiTools({ config, db, jobTools }: ToolsContext): AiTools {
  const { openLease } = jobTools;
  return { ...jobTools, models: createModels({ settings: config.ai, db, openLease }) };
}
