import { seoInsightsKeywordDifficulty } from '../../../shared/contracts/web/seo-insights-keyword-difficulty.ts';
import { defineHandler } from '../../handler.ts';
import { languageOfCountry } from '../../seo/expansions.ts';

export default defineHandler(seoInsightsKeywordDifficulty, async (input, job, tools) => {
  const language = input.language ?? languageOfCountry(input.country);
  return await tools.seo.answer('keyword-difficulty', job, language, (provider, run) =>
    provider.keywordDifficulty({ ...input, language }, run),
  );
});
