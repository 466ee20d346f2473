import { AppError } from '../../shared/errors.ts';
import type { Generated, GenerativeModel } from './model.ts';

/** @throws AppError `upstream_failed` where the provider has withheld the answer, or it says nothing. */
export function requireAnswer({ id }: GenerativeModel, { text, ending }: Generated): void {
  const fail = (what: string) =>
    new AppError('upstream_failed', `The model ${id} ${what}`, { isFinal: true });
  if (ending === 'withheld') {
    throw fail(
      "answered nothing: its provider's content filter, or the model itself, refused. Try another model.",
    );
  }
  if (text.trim() !== '') return;
  throw fail(
    ending === 'cut'
      ? 'came to no answer within the length that it may have. Try another model or a shorter text.'
      : 'answered nothing. Try another model.',
  );
}
