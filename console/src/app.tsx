import { lazy, Suspense } from 'react';
import { type SignedInUser, useSession } from './api/session.ts';
import { Loading } from './parts/page.tsx';
import { Failure } from './parts/notice.tsx';
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
  const { user, setUser, error, reload } = useSession();
  if (user === undefined) return error === null ? <Loading /> : <NoSession error={error} onRetry={reload} />;
  if (user === null) return <SignIn onSignedIn={setUser} />;
  return (
    <Shell user={user} onSignedOut={() => setUser(null)}>
      <Suspense fallback={<Loading />}>
        <CurrentPage user={user} />
      </Suspense>
    </Shell>
  );
}
