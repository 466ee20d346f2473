import { AppError } from '../../shared/errors.ts';
import type { Generated, GenerativeModel } from './model.ts';

/** A model has answered, but nothing that can be used: in another form, cut off, empty or withheld. */
export class UnusableAnswer extends AppError {
  constructor(detail: string, flaw?: string) {
    const cause = flaw === undefined ? {} : { cause: new Error(flaw) };
    super('upstream_failed', detail, { ...cause, isFinal: true });
  }
}

/** @throws UnusableAnswer where the provider has withheld the answer, or it says nothing. */
export function requireAnswer({ id }: GenerativeModel, { text, ending }: Generated): void {
  const fail = (what: string) => new UnusableAnswer(`The model ${id} ${what}`);
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
