import { AppError } from '../../../../../src/shared/errors.ts';
import { defineHandler } from '../../../../../src/workers/handler.ts';
import { square } from '../../contracts/test/square.ts';

export default defineHandler(square, async ({ number }, _job, tools) => {
  const product = tools.squareOf(number);
  if (!Number.isSafeInteger(product)) throw new AppError('number_too_large', 'The number is too large.');
  return { product };
});
