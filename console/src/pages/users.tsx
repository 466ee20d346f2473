import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import type { User, UserPage } from '../api/answers.ts';
import { useLoad } from '../api/use-load.ts';
import { Badge } from '../parts/badge.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Field } from '../parts/field.tsx';
import { FormEnd, Modal } from '../parts/modal.tsx';
import { Failure } from '../parts/notice.tsx';
import { Card, Empty, Page } from '../parts/page.tsx';
import { WhenLoaded } from '../parts/when-loaded.tsx';
import { Time } from '../parts/time.tsx';
import { dayOf, endOfDay } from '../parts/day.ts';
import { to } from '../route.ts';

export function licenseStatus({ license }: User): 'none' | 'active' | 'revoked' | 'expired' {
  if (license === null) return 'none';
  if (license.revokedAt !== null) return 'revoked';
  return license.validUntil !== null && Date.parse(license.validUntil) <= Date.now() ? 'expired' : 'active';
}

function GrantLicense({ user, onChanged }: { user: User; onChanged(): void }) {
  const [open, setOpen] = useState(false);
  const [error, setError] = useState<unknown>(null);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const until = String(form.get('until') ?? '');
    try {
      await call(`/api/admin/users/${user.id}/license`, {
        method: 'PUT',
        body: {
          plan: String(form.get('plan')).trim(),
          validUntil: until === '' ? null : endOfDay(until),
        },
      });
      setOpen(false);
      onChanged();
    } catch (failure) {
      setError(failure);
    }
  }

  return (
    <>
      <button
        type="button"
        className="button small"
        aria-label={`License of ${user.email}`}
        onClick={() => {
          setError(null);
          setOpen(true);
        }}
      >
        License
      </button>
      <Modal title={`License of ${user.email}`} open={open} onClose={() => setOpen(false)}>
        <form onSubmit={(event) => void submit(event)}>
          <Field
            label="Plan"
            hint="One of the configuration: free, pro and scale, unless PLANS says others."
            required
          >
            {(attributes) => (
              <input
                {...attributes}
                name="plan"
                defaultValue={user.license?.plan ?? 'pro'}
                autoComplete="off"
              />
            )}
          </Field>
          <Field label="Last day" hint="Without one it has no end.">
            {(attributes) => (
              <input
                {...attributes}
                name="until"
                type="date"
                defaultValue={dayOf(user.license?.validUntil ?? null)}
              />
            )}
          </Field>
          <Failure error={error} />
          <FormEnd submit="Grant" onCancel={() => setOpen(false)} />
        </form>
      </Modal>
    </>
  );
}

function UserActions({ user, onChanged }: { user: User; onChanged(): void }) {
  return (
    <div className="actions">
      <a className="button small" href={to('admin', 'users', user.id)} aria-label={`View as ${user.email}`}>
        View as
      </a>
      <GrantLicense user={user} onChanged={onChanged} />
      {licenseStatus(user) === 'active' ? (
        <Confirm
          label="Revoke"
          of={`the license of ${user.email}`}
          title={`Revoke the license of ${user.email}?`}
          action="Revoke"
          danger
          onConfirm={async () => {
            await call(`/api/admin/users/${user.id}/license`, { method: 'DELETE' });
            onChanged();
          }}
        >
          <p>They can create no more keys. Keys that they have keep working at their last rate limit.</p>
        </Confirm>
      ) : null}
    </div>
  );
}

export function Users() {
  const users = useLoad((signal) => call<UserPage>('/api/admin/users?limit=1000', { signal }), []);
  const [text, setText] = useState('');
  const isShown = ({ email, name }: User) => `${email} ${name}`.toLowerCase().includes(text.toLowerCase());
  return (
    <Page title="Users" intro="Who may sign in, and on which plan.">
      <div className="filters">
        <Field label="Search" required>
          {(attributes) => (
            <input
              {...attributes}
              type="search"
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Failure error={users.error} />
      <Card>
        <WhenLoaded from={users}>
          {({ users: list }) =>
            list.some(isShown) ? (
              <table className="stacked">
                <thead>
                  <tr>
                    <th scope="col">E-mail</th>
                    <th scope="col">Role</th>
                    <th scope="col">Plan</th>
                    <th scope="col" className="number">
                      Active keys
                    </th>
                    <th scope="col">Created</th>
                    <th scope="col">Actions</th>
                  </tr>
                </thead>
                <tbody>
                  {list.filter(isShown).map((user) => (
                    <tr key={user.id}>
                      <th scope="row">{user.email}</th>
                      <td data-label="Role">{user.role}</td>
                      <td data-label="Plan">
                        {user.license === null ? (
                          <span className="quiet">none</span>
                        ) : (
                          <span>
                            {user.license.plan} <Badge status={licenseStatus(user)} />
                          </span>
                        )}
                      </td>
                      <td data-label="Active keys" className="number">
                        {user.activeKeys}
                      </td>
                      <td data-label="Created">
                        <Time at={user.createdAt} />
                      </td>
                      <td data-label="Actions">
                        <UserActions user={user} onChanged={users.reload} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            ) : (
              <Empty>No user has “{text}” in the e-mail or name.</Empty>
            )
          }
        </WhenLoaded>
        {users.data?.nextCursor == null ? null : (
          <p className="fine">The first 1,000 users; the API lists them all: GET /api/admin/users.</p>
        )}
      </Card>
    </Page>
  );
}
