import { z } from 'zod';
import { declareErrors } from '../../../../../src/shared/errors.ts';
import { defineOperation } from '../../../../../src/shared/operation.ts';

declare module '../../../../../src/shared/errors.ts' {
  interface ExtensionErrors {
    number_too_large: true;
  }
}

declareErrors({
  number_too_large: {
    status: 422,
    title: 'Number too large',
    retryable: false,
    guide: 'The square of the number cannot be told exactly. Send a smaller one.',
  },
});

/** Squares a number with a tool of the extension, and shows it by a presenter of its own. */
export const square = defineOperation({
  id: 'test.square',
  summary: 'Square a number',
  description: 'Answers the square of a number.',
  queue: 'http',
  route: { method: 'POST', path: '/api/proxy/test/v1/square' },
  timeoutMs: () => 30_000,
  input: z.strictObject({ number: z.int() }),
  output: z.object({ product: z.int() }),
  data: z.object({ square: z.int().nullable() }),
  errors: ['number_too_large'],
});
