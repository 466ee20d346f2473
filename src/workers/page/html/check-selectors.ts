import { compile } from 'css-select';
import { AppError } from '../../../shared/errors.ts';
import type { ElementQuery } from './pick-elements.ts';

/** @throws AppError `invalid_request` naming each selector that is none. */
export default function checkSelectors(queries: readonly ElementQuery[]): void {
  const errors = queries.flatMap(({ selector }, index) => {
    try {
      compile(selector);
      return [];
    } catch (error) {
      return [{ path: `elements.${index}.selector`, message: (error as Error).message.slice(0, 200) }];
    }
  });
  if (errors.length === 0) return;
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join(' ');
  throw new AppError('invalid_request', `A CSS selector cannot be read. ${detail}`, { errors });
}
