import { useState } from 'react';
import { call } from '../api/client.ts';
import type { AuditEntry, AuditPage, KeyList } from '../api/answers.ts';
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

/** What an entry says beside its columns, such as `plan: pro`. */
function detailsOf({ details }: AuditEntry): string {
  return Object.entries(details ?? {})
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function actorOf({ actorId, address }: AuditEntry, ownId: string): string {
  if (actorId === null) return address === null ? 'the operator' : 'unknown';
  return actorId === ownId ? 'you' : actorId;
}

function Entry({
  entry,
  ownId,
  keyNames,
}: {
  entry: AuditEntry;
  ownId: string;
  keyNames: Map<string, string>;
}) {
  const { action, at, keyId, address } = entry;
  return (
    <tr>
      <th scope="row">{inWords(action)}</th>
      <td data-label="When">
        <Time at={at} />
      </td>
      <td data-label="Key">
        {keyId === null ? <span className="quiet">–</span> : (keyNames.get(keyId) ?? keyId)}
      </td>
      <td data-label="By">{actorOf(entry, ownId)}</td>
      <td data-label="From">{address ?? <span className="quiet">the command line</span>}</td>
      <td data-label="Details">{detailsOf(entry)}</td>
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
  const keyNames = new Map(keys.data?.keys.map(({ id, name }) => [id, name]));
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
                    <th scope="col">Key</th>
                    <th scope="col">By</th>
                    <th scope="col">From</th>
                    <th scope="col">Details</th>
                  </tr>
                </thead>
                <tbody>
                  {entries.map((entry) => (
                    <Entry key={entry.id} entry={entry} ownId={ownId} keyNames={keyNames} />
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
