import type { Redis } from 'ioredis';
import type { z } from 'zod';
import type { capabilities } from '../shared/contracts/proxy/capabilities.ts';
import { countWorkers } from '../shared/jobs/worker-registry.ts';
import type { Operation, QueuedOperation } from '../shared/operation.ts';
import type { ApiDeps } from './deps.ts';

type Capability = z.output<typeof capabilities.output>['operations'][number];
type State = Pick<Capability, 'available' | 'reason' | 'needs'>;

const available: State = { available: true, reason: null, needs: [] };
const notConfigured = (reason: string, needs: string[]): State => ({ available: false, reason, needs });

/** What the service's own settings say, by operation; null where nothing is missing. */
const settingsOf: Readonly<Record<string, (config: ApiDeps['config']) => State | null>> = {
  'web.seo-insights-keyword-difficulty': ({ SEO_PROVIDERS, providers }) =>
    SEO_PROVIDERS['keyword-difficulty'] === 'open' && providers.searxng === null
      ? notConfigured('No source of search results is configured.', ['SEARXNG_URL', 'SEO_PROVIDERS'])
      : null,
  'web.seo-insights-keyword-ideas': ({ SEO_PROVIDERS, providers }) =>
    SEO_PROVIDERS['keyword-ideas'] === 'open' && (providers.suggest?.engines ?? []).length === 0
      ? notConfigured('No source of keyword ideas is configured.', ['SUGGEST_URLS', 'SEO_PROVIDERS'])
      : null,
};

/** Programs that an operation runs beside what all of its queue need, by the variable that names each. */
const programsOf: Readonly<Record<string, readonly string[]>> = {
  'video.screenshot': ['FFMPEG_PATH'],
  'video.screenshot-multiple': ['FFMPEG_PATH'],
};

async function stateOfWorkers(redis: Redis, { id, queue }: QueuedOperation): Promise<State> {
  const serving = await countWorkers(redis, queue);
  if (serving === 0) {
    return { available: false, reason: `No worker serves the queue ${queue} right now.`, needs: [] };
  }
  for (const variable of programsOf[id] ?? []) {
    if ((await countWorkers(redis, queue, variable)) >= serving) {
      return notConfigured('No worker of the queue has the program that it runs.', [variable]);
    }
  }
  return available;
}

const isAway: State = {
  available: null,
  reason: 'Redis, which knows the workers, cannot be reached right now.',
  needs: [],
};

async function stateOf(operation: Operation, { config, redis }: Pick<ApiDeps, 'config' | 'redis'>) {
  if (operation.runs === 'api') return available;
  const missing = settingsOf[operation.id]?.(config) ?? null;
  return missing ?? (await stateOfWorkers(redis, operation).catch(() => isAway));
}

const takesKey = (operation: Operation) => operation.runs === 'queue' || operation.access.includes('key');

/** Of every operation under `/api/proxy` that an API key can call. */
export async function listCapabilities(
  deps: Pick<ApiDeps, 'catalog' | 'config' | 'redis'>,
): Promise<Capability[]> {
  const routed = deps.catalog.operations.flatMap((operation) =>
    operation.route !== null && takesKey(operation) && operation.route.path.startsWith('/api/proxy/')
      ? [{ operation, route: operation.route }]
      : [],
  );
  return await Promise.all(
    routed.map(async ({ operation, route }) => ({
      id: operation.id,
      route: { method: route.method, path: route.path },
      ...(await stateOf(operation, deps)),
    })),
  );
}
