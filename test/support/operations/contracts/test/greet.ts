import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** An operation that the API answers itself. */
export const greet = defineOperation({
  id: 'test.greet',
  summary: 'Greet somebody',
  description: 'Greets whom the request names.',
  route: { method: 'POST', path: '/api/proxy/test/v1/greet' },
  access: ['key'],
  input: z.strictObject({ name: z.string().min(1) }),
  output: z.object({ greeting: z.string() }),
  errors: [],
});
