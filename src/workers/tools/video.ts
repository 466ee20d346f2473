import type { JobTools, ToolsContext } from './context.ts';

export type VideoTools = JobTools;

export function createVideoTools({ jobTools }: ToolsContext): VideoTools {
  return jobTools;
}
