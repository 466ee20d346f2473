import type { Connections, LeaseAgent } from './connections.ts';
import type { OutcomeLog } from './outcome-log.ts';
import type { TargetPolicy } from './policy.ts';
import type { TraceTarget } from './trace-targets.ts';

/** What the proxy of a lease works with. */
export interface ProxyParts {
  connections: Connections;
  agent: LeaseAgent;
  policy: TargetPolicy;
  log: OutcomeLog;
  /** True for a host that is not to be asked, or not once more. */
  turnAway(host: string, way: 'request' | 'tunnel'): boolean;
  traceTarget: TraceTarget;
}
