import type { ReactNode } from 'react';
import type { Key } from '../api/answers.ts';
import { Badge } from '../parts/badge.tsx';
import { Time } from '../parts/time.tsx';
import { numberOf } from '../parts/words.ts';
import { to } from '../route.ts';

/** What the key is for, and where it is accepted from where that is bounded. */
function Rights({ of: { scopes, allowedAddresses } }: { of: Key }) {
  return (
    <span>
      {scopes === null ? <span className="quiet">all</span> : scopes.join(', ')}
      {allowedAddresses === null ? null : <span className="fine"> from {allowedAddresses.join(', ')}</span>}
    </span>
  );
}

/** @param actions of a row; without it the list is only looked at. */
export function KeyTable({ keys, actions }: { keys: readonly Key[]; actions?: (item: Key) => ReactNode }) {
  return (
    <table className="stacked">
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Status</th>
          <th scope="col">Scopes</th>
          <th scope="col" className="number">
            Per hour
          </th>
          <th scope="col" className="number">
            Used
          </th>
          <th scope="col">Expires</th>
          {actions === undefined ? null : <th scope="col">Actions</th>}
        </tr>
      </thead>
      <tbody>
        {keys.map((item) => (
          <tr key={item.id}>
            <th scope="row">
              <bdi>{actions === undefined ? item.name : <a href={to('usage', item.id)}>{item.name}</a>}</bdi>
            </th>
            <td data-label="Status">
              <Badge status={item.status} />
            </td>
            <td data-label="Scopes" className="any">
              <Rights of={item} />
            </td>
            <td data-label="Per hour" className="number">
              {numberOf(item.rateLimit)}
            </td>
            <td data-label="Used" className="number">
              {item.lastUsedAt === null ? null : (
                <div>{item.usageCount === 1 ? 'once' : `${numberOf(item.usageCount)} times`}</div>
              )}
              <Time at={item.lastUsedAt} />
            </td>
            <td data-label="Expires">
              <Time at={item.expiresAt} />
            </td>
            {actions === undefined ? null : <td data-label="Actions">{actions(item)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
