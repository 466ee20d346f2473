import { type FormEvent, useEffect, useState } from 'react';
import { type SignedInUser, signIn } from '../api/session.ts';
import { Field } from '../parts/field.tsx';
import { Failure, Notice } from '../parts/notice.tsx';
import { Brand } from '../shell.tsx';

/** @param hasEnded whether a session has ended by itself here. */
export function SignIn({
  hasEnded,
  onSignedIn,
}: {
  hasEnded: boolean;
  onSignedIn(user: SignedInUser): void;
}) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · Quarry';
  }, []);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    try {
      onSignedIn(await signIn(String(form.get('email')), String(form.get('password'))));
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  }

  return (
    <main className="sign-in">
      <Brand />
      <h1>Sign in</h1>
      {hasEnded ? (
        <Notice kind="info">Your session has ended. Sign in to go on where you were.</Notice>
      ) : null}
      <form onSubmit={(event) => void submit(event)}>
        <Field label="E-mail" required>
          {(attributes) => (
            <input {...attributes} name="email" type="email" autoComplete="username" autoFocus />
          )}
        </Field>
        <Field label="Password" required>
          {(attributes) => (
            <input {...attributes} name="password" type="password" autoComplete="current-password" />
          )}
        </Field>
        <Failure error={error} />
        <button type="submit" className="button primary wide" aria-disabled={busy}>
          {busy ? 'Signing in …' : 'Sign in'}
        </button>
      </form>
      <p className="fine">
        Started with <code>npm start</code>? The terminal shows the e-mail and the file with the password.
        Else ask the operator for an account.
      </p>
    </main>
  );
}
