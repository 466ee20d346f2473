import { seoInsightsBacklinks } from '../../../shared/contracts/web/seo-insights-backlinks.ts';
import { defineHandler } from '../../handler.ts';
import { readDomain } from '../../seo/read-domain.ts';

export default defineHandler(seoInsightsBacklinks, async (input, job, tools) => {
  const domain = readDomain(input.domain, job);
  return await tools.seo.answer('backlinks', job, 'en', (provider, run) =>
    provider.backlinks({ ...input, domain }, run),
  );
});
