import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { healthChecks, healthReport } from '../../schemas/health.ts';

export const videoHealthz = defineOperation({
  id: 'video.healthz',
  summary: 'Health of the video proxy',
  description:
    'The same as the health of the web proxy, and which platforms are not asked at the moment because they refused the last requests.',
  route: { method: 'GET', path: '/api/proxy/video/v1/healthz' },
  access: ['key'],
  otherStatuses: [503],
  input: z.strictObject({}),
  output: healthReport.extend({
    checks: healthChecks.extend({
      platforms: z
        .array(z.object({ platform: z.string(), circuit: z.literal('open'), until: z.iso.datetime() }))
        .nullable()
        .describe(
          'Platforms whose circuit is open; all others are asked. Null while Redis cannot be reached.',
        ),
    }),
  }),
  errors: [],
});
