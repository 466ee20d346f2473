import { Gauge } from 'prom-client';
import type { renderPage } from '../../shared/contracts/page/render.ts';
import type { OutputOf } from '../../shared/operation.ts';
import { announceSandbox } from '../../shared/jobs/worker-registry.ts';
import { type Chromium, createChromium } from '../browser/chromium.ts';
import { createSingleFlight, type SingleFlight } from '../page/single-flight.ts';
import { openBrowserFolder } from './browser-folder.ts';
import type { JobTools, ToolsContext, WarmedUp } from './context.ts';

export interface BrowserTools extends JobTools, WarmedUp {
  readonly chromium: Chromium;
  readonly renders: SingleFlight<OutputOf<typeof renderPage>>;
}

export async function createBrowserTools(context: ToolsContext): Promise<BrowserTools> {
  const { config, log, redis, metrics, lifetime, jobTools, openProxy } = context;
  const dataFolder = await openBrowserFolder(config);
  const chromium = lifetime.use(
    createChromium({
      dataFolder,
      log,
      openProxy,
      onStart: () => metrics.browserStarts.inc(),
      onReplacement: (reason) => metrics.browserReplacements.inc({ reason }),
      sandbox: config.BROWSER_SANDBOX,
      ...(config.CHROME_PATH === undefined ? {} : { chromePath: config.CHROME_PATH }),
    }),
  );
  lifetime.use(announceSandbox(redis, () => chromium.describe()?.sandbox ?? null));
  const running: Gauge = new Gauge({
    name: 'quarry_browsers_running',
    help: 'Chromium processes that take jobs.',
    registers: [metrics.registry],
    collect() {
      running.set(chromium.describe() === null ? 0 : 1);
    },
  });
  return { ...jobTools, chromium, renders: createSingleFlight(), warmUp: () => chromium.warmUp() };
}
