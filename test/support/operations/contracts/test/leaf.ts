import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Doubles a number after a while, or fails. */
export const leaf = defineOperation({
  id: 'test.leaf',
  summary: 'Leaf',
  description: 'A child without children.',
  queue: 'http',
  route: null,
  timeoutMs: () => 60_000,
  input: z.strictObject({ value: z.int(), ms: z.int().default(0), fail: z.boolean().default(false) }),
  output: z.object({ doubled: z.int() }),
  errors: ['selector_not_found'],
});
