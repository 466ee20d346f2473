import { extractiveModelId } from '../../shared/ai/model-list.ts';
import { readChildEnvironment } from '../../shared/child-environment.ts';
import { findModel } from '../ai/models.ts';
import { createPageReader, type PageReader } from '../page/page-reader.ts';
import { startReaper } from '../processes/reaper.ts';
import { createLighthouse, type Lighthouse } from '../review/lighthouse/run-lighthouse.ts';
import { openBrowserFolder } from './browser-folder.ts';
import type { JobTools, ToolsContext, WarmedUp } from './context.ts';

export interface ReviewTools extends JobTools, WarmedUp {
  readonly lighthouse: Lighthouse;
  readonly pageReader: PageReader;
  /**
   * The id of the model that is asked for, or of the default one. Workers of `ai` ask it: it is not loaded here.
   * @throws AppError `unknown_model`.
   */
  modelIdOf(asked: string | undefined): string;
}

export async function createReviewTools({
  config,
  log,
  lifetime,
  jobTools,
}: ToolsContext): Promise<ReviewTools> {
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
    modelIdOf: (asked) => findModel(config.ai, asked)?.listed.id ?? extractiveModelId,
    warmUp: () => lighthouse.warmUp(),
  };
}
