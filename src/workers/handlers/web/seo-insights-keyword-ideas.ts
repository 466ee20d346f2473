import { seoInsightsKeywordIdeas } from '../../../shared/contracts/web/seo-insights-keyword-ideas.ts';
import { defineHandler } from '../../handler.ts';
import { languageOfCountry } from '../../seo/expansions.ts';

export default defineHandler(seoInsightsKeywordIdeas, async (input, job, tools) => {
  const language = input.language ?? languageOfCountry(input.country);
  return await tools.seo.answer('keyword-ideas', job, language, (provider, run) =>
    provider.keywordIdeas({ ...input, language }, run),
  );
});
