import type { Catalog } from '../shared/catalog.ts';
import { AppError } from '../shared/errors.ts';
import { feedScope } from './feed/identify-listener.ts';

/** @throws AppError `invalid_request` for what is neither an area nor an operation that takes a key. */
export function checkKnownScopes({ operations }: Pick<Catalog, 'operations'>, scopes: string[] | null): void {
  if (scopes === null) return;
  const ids = operations
    .filter((one) => one.route !== null && (one.runs === 'queue' || one.access.includes('key')))
    .map(({ id }) => id as string);
  const areas = new Set(ids.map((id) => id.split('.')[0] ?? ''));
  const unknown = scopes.filter((scope) => !areas.has(scope) && !ids.includes(scope) && scope !== feedScope);
  if (unknown.length === 0) return;
  const message = `There is no ${unknown.join(', ')}. Areas: ${[...areas].join(', ')}; or the id of an operation, such as ${ids[0]}.`;
  throw new AppError('invalid_request', `scopes: ${message}`, { errors: [{ path: 'scopes', message }] });
}
