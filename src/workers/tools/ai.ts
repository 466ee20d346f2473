import type { JobTools, ToolsContext } from './context.ts';

export type AiTools = JobTools;

export function createAiTools({ jobTools }: ToolsContext): AiTools {
  return jobTools;
}
