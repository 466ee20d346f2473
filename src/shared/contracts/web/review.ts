import { z } from 'zod';
import { defineOperation, longWaitMs } from '../../operation.ts';
import { pageOperation } from '../../schemas/page-operation.ts';
import { pageOptions } from '../../schemas/page-options.ts';
import { reviewCategories, reviewRecord, reviewRepresentations, storedReview } from '../../schemas/review.ts';
import { modelErrors, summaryOptions } from '../../schemas/summary.ts';

/** Of one run beside the load of the page: the start of Chromium, the measuring and the checks. */
const analysisMs = 75_000;
/** For a model to write the narrative. */
const narrativeMs = 600_000;

const { timeout, headers, cookies, userAgent, locale, verifyTls } = pageOptions;

export const review = defineOperation({
  id: 'web.review',
  summary: 'Review a page',
  description:
    'Measures a page with Lighthouse in a Chromium of its own and adds checks of security and content. Each issue comes with evidence and a fix. `Accept: text/html` answers the report as one self-contained page.',
  ...pageOperation({
    queue: 'review',
    path: '/api/proxy/web/v1/review',
    options: { timeout, headers, cookies, userAgent, locale, verifyTls },
    fields: {
      device: z
        .enum(['mobile', 'desktop'])
        .default('mobile')
        .describe('The device that Lighthouse emulates.'),
      categories: z
        .array(z.enum(reviewCategories))
        .min(1)
        .max(reviewCategories.length)
        .optional()
        .describe('What is reviewed; default: everything.'),
      runs: z
        .int()
        .min(1)
        .max(5)
        .default(1)
        .describe(
          'Number of measurements: scores and metrics are their medians, and `spread` has their range.',
        ),
      model: summaryOptions.model.describe(
        'The model that writes the narrative, from `GET /ai/models`; default: the one marked there as the default.',
      ),
    },
    errors: modelErrors,
  }),
  retries: { page_crashed: 1 },
  timeoutMs: (input) => input.runs * (input.timeout + analysisMs) + narrativeMs,
  waitMs: longWaitMs,
  representations: reviewRepresentations,
  output: storedReview,
  data: reviewRecord,
});
