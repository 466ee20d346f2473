import { useState } from 'react';
import { call } from '../api/client.ts';
import type { AuditEntry, AuditPage, KeyList, UserPage } from '../api/answers.ts';
import { useLoad } from '../api/use-load.ts';
import { Failure } from '../parts/notice.tsx';
import { Card, Empty, Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/when-loaded.tsx';
import { type Cursors, Pager } from '../parts/pager.tsx';
import { Time } from '../parts/time.tsx';

/** `key.rotated` as "Key rotated". */
function inWords(action: string): string {
  const words = action.replaceAll(/[.-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function inText(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What an entry says beside its columns, such as `plan: pro`. */
function detailsOf({ details }: AuditEntry): string {
  return Object.entries(details ?? {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${inText(value)}`)
    .join(', ');
}

/** What is known by a name, by its id. */
type Names = ReadonlyMap<string, string>;

function actorOf({ actorId, address }: AuditEntry, names: Names): string {
  if (actorId === null) return address === null ? 'the operator' : 'unknown';
  return names.get(actorId) ?? actorId;
}

function Entry({ entry, names, ofAll }: { entry: AuditEntry; names: Names; ofAll: boolean }) {
  const { action, at, userId, keyId, address } = entry;
  return (
    <tr>
      <th scope="row">{inWords(action)}</th>
      <td data-label="When">
        <Time at={at} />
      </td>
      {ofAll ? (
        <td data-label="User" className="any">
          {userId === null ? null : (names.get(userId) ?? userId)}
        </td>
      ) : null}
      <td data-label="Key" className="any">
        {keyId === null ? null : <bdi>{names.get(keyId) ?? keyId}</bdi>}
      </td>
      <td data-label="By" className="any">
        {actorOf(entry, names)}
      </td>
      <td data-label="From" className="any">
        {address ?? <span className="quiet">the command line</span>}
      </td>
      <td data-label="Details" className="any">
        {detailsOf(entry)}
      </td>
    </tr>
  );
}

/** @param ofAll the log of all users, for admins. */
export function Audit({ ownId, ofAll = false }: { ownId: string; ofAll?: boolean }) {
  const [cursors, setCursors] = useState<Cursors>([]);
  const cursor = cursors.at(-1);
  const path = ofAll ? '/api/admin/audit' : '/api/audit';
  const page = useLoad(
    (signal) =>
      call<AuditPage>(`${path}?limit=50${cursor === undefined ? '' : `&cursor=${cursor}`}`, { signal }),
    [path, cursor],
  );
  const keys = useLoad((signal) => call<KeyList>('/api/keys', { signal }), []);
  const users = useLoad(
    async (signal) => (ofAll ? await call<UserPage>('/api/admin/users?limit=1000', { signal }) : null),
    [ofAll],
  );
  const names = new Map([
    ...(keys.data?.keys.map(({ id, name }) => [id, name] as const) ?? []),
    ...(users.data?.users.map(({ id, email }) => [id, email] as const) ?? []),
    [ownId, 'you'] as const,
  ]);
  return (
    <Page
      title={ofAll ? 'Audit log of all users' : 'Audit log'}
      intro="What was done with keys, licenses, sign-ins and secrets of webhooks, newest first."
    >
      <Failure error={page.error} />
      <Card>
        <WhenLoaded from={page}>
          {({ entries }) =>
            entries.length === 0 ? (
              <Empty>Nothing was done yet.</Empty>
            ) : (
              <table className="stacked">
                <thead>
                  <tr>
                    <th scope="col">What</th>
                    <th scope="col">When</th>
                    {ofAll ? <th scope="col">User</th> : null}
                    <th scope="col">Key</th>
                    <th scope="col">By</th>
                    <th scope="col">From</th>
                    <th scope="col">Details</th>
                  </tr>
                </thead>
                <tbody>
                  {entries.map((entry) => (
                    <Entry key={entry.id} entry={entry} names={names} ofAll={ofAll} />
                  ))}
                </tbody>
              </table>
            )
          }
        </WhenLoaded>
        <Pager cursors={cursors} next={page.data?.nextCursor} onChange={setCursors} />
      </Card>
    </Page>
  );
}
