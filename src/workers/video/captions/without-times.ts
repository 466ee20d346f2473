import { AppError } from '../../../shared/errors.ts';

/** Of captions that have text, no time of which can be read: they are not captions without a word. */
export const withoutTimes = (): AppError =>
  new AppError('unsupported_content', 'No times of the captions can be read: they are damaged.');
