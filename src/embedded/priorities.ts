import { readFileSync } from 'node:fs';
import { raisePriority, raiseSession } from '../shared/processes/priority.ts';
import { isRunning, type ProcessIdentity } from './processes.ts';

/** Nine times the share of others that do not wait, and three times (sched(7)). */
const [answering, passingOn] = [-10, -5];
const backendsEveryMs = 1_000;

/**
 * As root: what answers all users has the processors before what works for one of them, where all want them at once.
 * @see raisePriority
 */
export interface Priorities extends Disposable {
  /** A process of that name has started. */
  raise(name: string, identity: ProcessIdentity): void;
}

export function createPriorities(): Priorities {
  let postmaster: ProcessIdentity | undefined;
  let raised = new Set<number>();

  /** Postgres gives each connection a process with a session of its own. */
  function raiseBackends(): void {
    if (postmaster === undefined || !isRunning(postmaster)) return;
    const backends = childrenOf(postmaster.pid);
    for (const pid of backends) if (!raised.has(pid)) raisePriority(pid, answering);
    raised = new Set(backends);
  }

  const timer = setInterval(raiseBackends, backendsEveryMs);
  return {
    raise(name, identity) {
      if (name === 'Postgres') postmaster = identity;
      // Its niceness stays: tools that it starts for one job would inherit it.
      if (name === 'worker-http') raiseSession(identity.pid, passingOn);
      else if (name !== 'worker-browser') raisePriority(identity.pid, answering);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
