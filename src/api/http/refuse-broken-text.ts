import { AppError } from '../../shared/errors.ts';

const isBroken = (text: string) => text.includes('\0') || !text.isWellFormed();

/**
 * NUL and half surrogate pairs can be written in JSON and in URLs, but are no text: Postgres stores neither.
 * Walks without recursion, since a body may nest as deep as it is long.
 * @throws AppError `invalid_request`
 */
export function refuseBrokenText(request: Record<string, unknown>): void {
  const open: { path: string; value: unknown }[] = [{ path: '', value: request }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { path, value } = next;
    if (typeof value === 'string' && isBroken(value)) {
      const message = 'The text has a NUL character or half of a surrogate pair. Leave it out.';
      const shown = path.slice(0, 200).toWellFormed();
      throw new AppError('invalid_request', `${shown}: ${message}`, { errors: [{ path: shown, message }] });
    }
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, part] of Object.entries(value)) {
      if (isBroken(name)) {
        throw new AppError(
          'invalid_request',
          'The name of a field has a NUL character or half of a surrogate pair. Leave it out.',
        );
      }
      // Deeper fields go by the name of the one that the schema may know.
      open.push({ path: path === '' ? name : path, value: part });
    }
  }
}
