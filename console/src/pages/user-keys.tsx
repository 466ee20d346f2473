import { call } from '../api/client.ts';
import type { KeyList } from '../api/answers.ts';
import { useLoad } from '../api/use-load.ts';
import { Failure } from '../parts/notice.tsx';
import { Card, Empty, Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/when-loaded.tsx';
import { to } from '../route.ts';
import { KeyTable } from './key-table.tsx';

/** What another user sees of their keys; nothing can be changed here. */
export function UserKeys({ userId }: { userId: string }) {
  const keys = useLoad(
    (signal) => call<KeyList>(`/api/keys?viewAs=${encodeURIComponent(userId)}`, { signal }),
    [userId],
  );
  return (
    <Page
      title="Keys of a user"
      intro={
        <>
          As the user <code>{userId}</code> sees them; only the user can change them.
        </>
      }
      actions={
        <a className="button" href={to('admin', 'users')}>
          All users
        </a>
      }
    >
      <Failure error={keys.error} />
      <Card>
        <WhenLoaded from={keys}>
          {(list) =>
            list.keys.length === 0 ? <Empty>The user has no keys.</Empty> : <KeyTable keys={list.keys} />
          }
        </WhenLoaded>
      </Card>
    </Page>
  );
}
