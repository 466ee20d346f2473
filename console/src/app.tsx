import { Component, lazy, type ReactNode, Suspense } from 'react';
import { type SignedInUser, useSession } from './api/session.ts';
import { loadAnew } from './api/load-anew.ts';
import { Loading, Page } from './parts/page.tsx';
import { Failure, Notice } from './parts/notice.tsx';
import { Brand, Shell } from './shell.tsx';
import { useRoute } from './route.ts';
import { Keys } from './pages/keys.tsx';
import { Overview } from './pages/overview.tsx';
import { SignIn } from './pages/sign-in.tsx';

// What the first page does not show is loaded when it is asked for.
const Audit = lazy(async () => ({ default: (await import('./pages/audit.tsx')).Audit }));
const Gallery = lazy(async () => ({ default: (await import('./pages/gallery.tsx')).Gallery }));
const JobPage = lazy(async () => ({ default: (await import('./pages/job.tsx')).JobPage }));
const Jobs = lazy(async () => ({ default: (await import('./pages/jobs.tsx')).Jobs }));
const Playground = lazy(async () => ({ default: (await import('./playground/playground.tsx')).Playground }));
const Queues = lazy(async () => ({ default: (await import('./pages/queues.tsx')).Queues }));
const Usage = lazy(async () => ({ default: (await import('./pages/usage.tsx')).Usage }));
const Webhooks = lazy(async () => ({ default: (await import('./pages/webhooks.tsx')).Webhooks }));
const Users = lazy(async () => ({ default: (await import('./pages/users.tsx')).Users }));
const UserKeys = lazy(async () => ({ default: (await import('./pages/user-keys.tsx')).UserKeys }));

function CurrentPage({ user }: { user: SignedInUser }) {
  const [page, id, ...rest] = useRoute();
  const isAdmin = user.role === 'admin';
  if (page === 'keys') return <Keys />;
  if (page === 'usage') return <Usage keyId={id} />;
  if (page === 'playground') return <Playground operationId={id} />;
  if (page === 'jobs') return id === undefined ? <Jobs /> : <JobPage key={id} id={id} />;
  if (page === 'gallery') return <Gallery />;
  if (page === 'webhooks') return <Webhooks />;
  if (page === 'admin' && isAdmin && id === 'users')
    return rest[0] === undefined ? <Users /> : <UserKeys userId={rest[0]} />;
  if (page === 'audit') return <Audit key="own" ownId={user.id} />;
  if (page === 'admin' && isAdmin && id === 'queues') return <Queues />;
  if (page === 'admin' && isAdmin && id === 'audit') return <Audit key="all" ownId={user.id} ofAll />;
  return <Overview user={user} />;
}

/** Says so where a part of the console cannot be loaded, as while the service is down; else nothing would be left. */
class UnlessBroken extends Component<{ children: ReactNode }, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children;
    return (
      <Page title="Not now">
        <Notice kind="error">
          This page could not be shown. Check that the service runs, and try again.
        </Notice>
        <button type="button" className="button primary" onClick={() => void loadAnew()}>
          Try again
        </button>
      </Page>
    );
  }
}

/** Where the service does not say who is signed in. */
function NoSession({ error, onRetry }: { error: unknown; onRetry(): void }) {
  return (
    <main className="sign-in">
      <Brand />
      <h1>Not now</h1>
      <Failure error={error} />
      <button type="button" className="button primary wide" onClick={onRetry}>
        Try again
      </button>
    </main>
  );
}

export function App() {
  const { user, hasEnded, setUser, error, reload } = useSession();
  const [page = '', part] = useRoute();
  if (user === undefined) return error === null ? <Loading /> : <NoSession error={error} onRetry={reload} />;
  if (user === null) return <SignIn hasEnded={hasEnded} onSignedIn={setUser} />;
  return (
    <Shell user={user} onSignedOut={() => setUser(null)}>
      <UnlessBroken key={page === 'admin' ? part : page}>
        <Suspense fallback={<Loading />}>
          <CurrentPage user={user} />
        </Suspense>
      </UnlessBroken>
    </Shell>
  );
}
