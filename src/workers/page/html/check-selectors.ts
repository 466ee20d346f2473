import { compile } from 'css-select';
import { AppError } from '../../../shared/errors.ts';
import type { ElementQuery } from './pick-elements.ts';
import { flawOfSelector, howToWriteSelector } from './selector-flaw.ts';

/** @throws AppError `invalid_request` naming each selector that is none. */
export default function checkSelectors(queries: readonly ElementQuery[]): void {
  const errors = queries.flatMap(({ selector }, index) => {
    try {
      compile(selector);
      return [];
    } catch (error) {
      const shown = `\`${selector.slice(0, 200)}\``;
      const message = `${shown} cannot be read as a CSS selector: ${flawOfSelector(error as Error)} ${howToWriteSelector}`;
      return [{ path: `elements.${index}.selector`, message }];
    }
  });
  if (errors.length === 0) return;
  const detail = errors.map(({ path, message }) => `${path}: ${message}`).join(' ');
  throw new AppError('invalid_request', detail, { errors });
}
