import { useState } from 'react';
import { call } from '../api/client.ts';
import type { Key, KeyList, RotatedKey } from '../api/answers.ts';
import { useLoad } from '../api/use-load.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Failure } from '../parts/notice.tsx';
import { Card, Empty, Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/when-loaded.tsx';
import { CreateKey } from './create-key.tsx';
import { KeyTable } from './key-table.tsx';
import { SecretOnce } from './secret-once.tsx';

function KeyActions({
  item,
  onChanged,
  onRotated,
}: {
  item: Key;
  onChanged(): void;
  onRotated(secret: string): void;
}) {
  const path = `/api/keys/${item.id}`;
  const of = `“${item.name}”`;
  return (
    <div className="actions">
      {item.status === 'active' ? (
        <Confirm
          label="Rotate"
          of={of}
          title={`Rotate ${of}?`}
          action="Rotate"
          onConfirm={async () => {
            const { key } = await call<RotatedKey>(`${path}/rotate`, { method: 'POST', body: {} });
            onChanged();
            onRotated(key);
          }}
        >
          <p>
            A new key takes its place. The old one is accepted for 24 hours more, or until it expires; both
            share one allowance.
          </p>
        </Confirm>
      ) : null}
      {item.isActive ? (
        <Confirm
          label="Revoke"
          of={of}
          title={`Revoke ${of}?`}
          action="Revoke"
          danger
          onConfirm={async () => {
            await call(`${path}/revoke`, { method: 'POST', body: {} });
            onChanged();
          }}
        >
          <p>Whoever uses it is refused from the next request on. This cannot be undone.</p>
        </Confirm>
      ) : null}
      <Confirm
        label="Delete"
        of={of}
        title={`Delete ${of}?`}
        action="Delete"
        danger
        onConfirm={async () => {
          await call(path, { method: 'DELETE' });
          onChanged();
        }}
      >
        <p>
          The key stops at once and leaves the list. What it has counted and made stays. This cannot be
          undone.
        </p>
      </Confirm>
    </div>
  );
}

export function Keys() {
  const keys = useLoad((signal) => call<KeyList>('/api/keys', { signal }), []);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Page
      title="Keys"
      intro="Programs send a key with each request, in the header X-API-Key."
      actions={<CreateKey onCreated={keys.reload} />}
    >
      <Failure error={keys.error} />
      <Card>
        <WhenLoaded from={keys}>
          {(list) =>
            list.keys.length === 0 ? (
              <Empty>No keys yet. Create the first one.</Empty>
            ) : (
              <KeyTable
                keys={list.keys}
                actions={(item) => <KeyActions item={item} onChanged={keys.reload} onRotated={setSecret} />}
              />
            )
          }
        </WhenLoaded>
      </Card>
      <SecretOnce title="The key that takes its place" secret={secret} onClose={() => setSecret(null)} />
    </Page>
  );
}
