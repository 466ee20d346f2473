import { z } from 'zod';
import { defineOperation } from '../../../../../src/shared/operation.ts';

/** Stores a number and shows its square. */
export const square = defineOperation({
  id: 'test.square',
  summary: 'Square a number',
  description: 'Answers the square of a number, which is made when it is shown.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/square' },
  timeoutMs: () => 30_000,
  input: z.strictObject({ number: z.int() }),
  output: z.object({ number: z.int() }),
  data: z.object({ square: z.int().nullable() }),
  errors: [],
});
