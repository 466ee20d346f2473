import { seoInsightsTraffic } from '../../../shared/contracts/web/seo-insights-traffic.ts';
import { defineHandler } from '../../handler.ts';
import { readDomain } from '../../seo/read-domain.ts';

export default defineHandler(seoInsightsTraffic, async (input, job, tools) => {
  const domain = readDomain(input.domain, job);
  return await tools.seo.answer('traffic', job, 'en', (provider, run) =>
    provider.traffic({ ...input, domain }, run),
  );
});
