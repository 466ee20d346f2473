import { readChildEnvironment } from '../../shared/child-environment.ts';
import type { Models } from '../ai/models.ts';
import { createPageReader, type PageReader } from '../page/page-reader.ts';
import { startReaper } from '../processes/reaper.ts';
import { createLighthouse, type Lighthouse } from '../review/lighthouse/run-lighthouse.ts';
import { createAiTools } from './ai.ts';
import { openBrowserFolder } from './browser-folder.ts';
import type { JobTools, ToolsContext, WarmedUp } from './context.ts';

export interface ReviewTools extends JobTools, WarmedUp {
  readonly lighthouse: Lighthouse;
  readonly models: Models;
  readonly pageReader: PageReader;
}

export async function createReviewTools(context: ToolsContext): Promise<ReviewTools> {
  const { config, log, lifetime, jobTools } = context;
  const dataFolder = await openBrowserFolder(config);
  const lighthouse = createLighthouse({
    dataFolder,
    log,
    reaper: lifetime.use(startReaper()),
    sandbox: config.BROWSER_SANDBOX,
    env: readChildEnvironment(),
    ...(config.CHROME_PATH === undefined ? {} : { chromePath: config.CHROME_PATH }),
  });
  return {
    ...jobTools,
    lighthouse,
    pageReader: createPageReader(jobTools.tasks),
    models: createAiTools(context).models,
    warmUp: () => lighthouse.warmUp(),
  };
}
