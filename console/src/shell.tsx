import { Dialog } from '@ark-ui/react/dialog';
import { Portal } from '@ark-ui/react/portal';
import { type ReactNode, useState } from 'react';
import { type SignedInUser, signOut } from './api/session.ts';
import { ProblemError } from './api/client.ts';
import { Failure } from './parts/notice.tsx';
import { to, useRoute } from './route.ts';
import { ThemeChoice } from './theme.tsx';

const pages = [
  ['', 'Overview'],
  ['keys', 'Keys'],
  ['playground', 'Playground'],
  ['jobs', 'Jobs'],
  ['gallery', 'Gallery'],
  ['usage', 'Usage'],
  ['webhooks', 'Webhooks'],
  ['audit', 'Audit log'],
] as const;

const adminPages = [
  ['users', 'Users'],
  ['queues', 'Queues'],
  ['audit', 'Audit log of all'],
] as const;

export const Brand = () => (
  <span className="brand">
    <img src="/icon.svg" alt="" width="28" height="28" />
    Quarry
  </span>
);

function Links({ user, onChosen }: { user: SignedInUser; onChosen?: () => void }) {
  const [page = '', id] = useRoute();
  return (
    <nav aria-label="Pages">
      <ul>
        {pages.map(([name, label]) => (
          <li key={name}>
            <a href={to(name)} aria-current={page === name ? 'page' : undefined} onClick={onChosen}>
              {label}
            </a>
          </li>
        ))}
      </ul>
      {user.role === 'admin' ? (
        <>
          <p className="nav-title">Administration</p>
          <ul>
            {adminPages.map(([name, label]) => (
              <li key={name}>
                <a
                  href={to('admin', name)}
                  aria-current={page === 'admin' && id === name ? 'page' : undefined}
                  onClick={onChosen}
                >
                  {label}
                </a>
              </li>
            ))}
          </ul>
        </>
      ) : null}
    </nav>
  );
}

function Account({ user, onSignedOut }: { user: SignedInUser; onSignedOut(): void }) {
  const [error, setError] = useState<unknown>(null);
  async function leave(): Promise<void> {
    setError(null);
    try {
      await signOut();
      onSignedOut();
    } catch (failure) {
      // The session may be gone already; else it goes on.
      if (failure instanceof ProblemError && failure.problem.status === 401) onSignedOut();
      else setError(failure);
    }
  }
  return (
    <div className="account">
      <ThemeChoice />
      <p className="email" title={user.email}>
        {user.email}
      </p>
      <Failure error={error} />
      <button type="button" className="button small" onClick={() => void leave()}>
        Sign out
      </button>
    </div>
  );
}

export function Shell({
  user,
  onSignedOut,
  children,
}: {
  user: SignedInUser;
  onSignedOut(): void;
  children: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  return (
    <div className="shell">
      <a
        className="skip"
        href="#main"
        onClick={(event) => {
          // The part after # names the page here.
          event.preventDefault();
          document.getElementById('main')?.focus();
        }}
      >
        Skip to the content
      </a>
      <aside className="side">
        <Brand />
        <Links user={user} />
        <Account user={user} onSignedOut={onSignedOut} />
      </aside>
      <header className="top">
        <Brand />
        <Dialog.Root open={open} onOpenChange={(details) => setOpen(details.open)} lazyMount unmountOnExit>
          <Dialog.Trigger className="button">Menu</Dialog.Trigger>
          <Portal>
            <Dialog.Backdrop className="backdrop" />
            <Dialog.Positioner>
              <Dialog.Content className="drawer">
                <Dialog.Title className="for-readers">Menu</Dialog.Title>
                <Links user={user} onChosen={() => setOpen(false)} />
                <Account user={user} onSignedOut={onSignedOut} />
                <Dialog.CloseTrigger className="button">Close</Dialog.CloseTrigger>
              </Dialog.Content>
            </Dialog.Positioner>
          </Portal>
        </Dialog.Root>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}
