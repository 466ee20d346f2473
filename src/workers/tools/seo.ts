import type { JobTools, ToolsContext } from './context.ts';

export type SeoTools = JobTools;

export function createSeoTools({ jobTools }: ToolsContext): SeoTools {
  return jobTools;
}
