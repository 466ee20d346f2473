import type { ReactNode } from 'react';
import { messageOf, ProblemError } from '../api/client.ts';

export function Notice({ kind, children }: { kind: 'error' | 'info' | 'success'; children: ReactNode }) {
  return (
    <div className={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** A failure, with what to tell the operator. Nothing where there is none. */
export function Failure({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null;
  return (
    <Notice kind="error">
      {messageOf(error)}
      {error instanceof ProblemError ? (
        <p className="fine">
          <code>{error.problem.code}</code>
          {error.problem.requestId === null ? null : (
            <>
              , request <code>{error.problem.requestId}</code>
            </>
          )}
        </p>
      ) : null}
    </Notice>
  );
}
