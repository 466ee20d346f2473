import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { healthReport } from '../../schemas/health.ts';

export const healthz = defineOperation({
  id: 'web.healthz',
  summary: 'Health',
  description:
    'State of the service and its queues. `degraded` (status 200): a queue has no worker, or results cannot be stored; `down` (status 503): Postgres or Redis cannot be reached.',
  route: { method: 'GET', path: '/api/proxy/web/v1/healthz' },
  access: ['key'],
  otherStatuses: [503],
  input: z.strictObject({}),
  output: healthReport,
  errors: [],
});
