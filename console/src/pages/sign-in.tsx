import { type FormEvent, useEffect, useState } from 'react';
import { type SignedInUser, signIn } from '../api/session.ts';
import { Field } from '../parts/field.tsx';
import { Failure } from '../parts/notice.tsx';
import { Brand } from '../shell.tsx';

export function SignIn({ onSignedIn }: { onSignedIn(user: SignedInUser): void }) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    document.title = 'Sign in · Quarry';
  }, []);

  async function submit(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
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
        <button type="submit" className="button primary wide" disabled={busy}>
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
