import type { JobTools, ToolsContext } from './context.ts';

export type ReviewTools = JobTools;

export function createReviewTools({ jobTools }: ToolsContext): ReviewTools {
  return jobTools;
}
