import { startAuthorityTimer } from '../seo/authority-timer.ts';
import { createSeoProviders, type SeoProvidersByEndpoint } from '../seo/create-providers.ts';
import type { JobTools, ToolsContext, WarmedUp } from './context.ts';

export interface SeoTools extends JobTools, WarmedUp {
  readonly seo: SeoProvidersByEndpoint;
}

export function createSeoTools(context: ToolsContext): SeoTools {
  const { config, db, redis, log, lifetime, jobTools } = context;
  const { dataForSeo, searxng, suggest } = config.providers;
  const seo = createSeoProviders({
    db,
    redis,
    log,
    openLease: (options) => jobTools.openLease(options),
    providers: config.SEO_PROVIDERS,
    suggestUrls: suggest?.engines ?? [],
    searxngUrl: searxng?.url,
    dataForSeo,
  });
  return {
    ...jobTools,
    seo: lifetime.use(seo),
    async warmUp() {
      const everyMs = config.SEO_AUTHORITY_HOURS * 3_600_000;
      lifetime.use(startAuthorityTimer({ db, databaseUrl: config.DATABASE_URL, log, everyMs }));
    },
  };
}
