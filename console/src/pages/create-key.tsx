import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import type { CreatedKey } from '../api/answers.ts';
import { dayOf, endOfDay } from '../parts/day.ts';
import { Field } from '../parts/field.tsx';
import { FormEnd, Modal } from '../parts/modal.tsx';
import { Failure } from '../parts/notice.tsx';
import { SecretOnce } from './secret-once.tsx';

const listOf = (text: FormDataEntryValue | null) =>
  String(text ?? '')
    .split(/[\s,;]+/)
    .filter((part) => part !== '');

/** @param isNext whether it is what to do next on its page. */
export function CreateKey({ onCreated, isNext = true }: { onCreated(): void; isNext?: boolean }) {
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const form = new FormData(event.currentTarget);
    const expires = String(form.get('expires') ?? '');
    setBusy(true);
    setError(null);
    try {
      const scopes = listOf(form.get('scopes'));
      const allowedAddresses = listOf(form.get('addresses'));
      const body = {
        name: String(form.get('name')).trim(),
        ...(scopes.length === 0 ? {} : { scopes }),
        ...(allowedAddresses.length === 0 ? {} : { allowedAddresses }),
        ...(expires === '' ? {} : { expiresAt: endOfDay(expires) }),
      };
      const { key } = await call<CreatedKey>('/api/keys', { method: 'POST', body });
      setOpen(false);
      setSecret(key);
      onCreated();
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  }

  return (
    <>
      <button
        type="button"
        className={isNext ? 'button primary' : 'button'}
        onClick={() => {
          setError(null);
          setOpen(true);
        }}
      >
        Create a key
      </button>
      <Modal title="Create a key" open={open} onClose={() => setOpen(false)}>
        <form onSubmit={(event) => void submit(event)}>
          <Field label="Name" hint="Where it is used, such as “website” or “laptop”." required>
            {(attributes) => <input {...attributes} name="name" maxLength={100} autoComplete="off" />}
          </Field>
          <Field label="Last day" hint="Without one it does not expire.">
            {(attributes) => (
              <input {...attributes} name="expires" type="date" min={dayOf(new Date().toISOString())} />
            )}
          </Field>
          <Field
            label="Scopes"
            hint="What it is for: areas such as web, video or jobs, or operations such as web.scrape. Without any: everything."
          >
            {(attributes) => <input {...attributes} name="scopes" autoComplete="off" spellCheck={false} />}
          </Field>
          <Field
            label="Addresses"
            hint="Where it is accepted from, such as 203.0.113.0/24. Without any: anywhere."
          >
            {(attributes) => <input {...attributes} name="addresses" autoComplete="off" spellCheck={false} />}
          </Field>
          <Failure error={error} />
          <FormEnd submit="Create" busy={busy} onCancel={() => setOpen(false)} />
        </form>
      </Modal>
      <SecretOnce title="Your new key" secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}
