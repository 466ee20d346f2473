import type { AppError } from '../errors.ts';
import { EgressError } from './egress-error.ts';
import type { EgressOutcome } from './types.ts';
import type { UpstreamProxies } from './upstream-proxies.ts';

// A page can ask for a hundred thousand images; what came first names the cause.
const maxOutcomes = 10_000;

/** A lease's record of what became of each connection, up to 10,000. */
export class OutcomeLog {
  readonly outcomes: EgressOutcome[] = [];
  readonly #failures = new Map<string, EgressError>();
  readonly #reached = new Set<string>();
  readonly #proxies: UpstreamProxies;

  constructor(proxies: UpstreamProxies) {
    this.#proxies = proxies;
  }

  reached(host: string, port: number, via: EgressOutcome['via'], bytesReceived: number): void {
    if (this.#reached.size < maxOutcomes) this.#reached.add(`${host}:${port}`);
    this.#keep({ host, port, via, result: 'ok', reason: null, bytesReceived });
  }

  failed(host: string, port: number, via: EgressOutcome['via'], error: EgressError, bytesReceived = 0): void {
    if (this.#failures.size < maxOutcomes) this.#failures.set(`${host}:${port}`, error);
    const { result, reason } = error;
    this.#keep({
      host,
      port,
      via,
      result,
      reason: result === 'refused' ? reason : null,
      bytesReceived,
    });
  }

  #keep(outcome: Omit<EgressOutcome, 'route'>): void {
    if (this.outcomes.length >= maxOutcomes) return;
    const route = this.#proxies.find(outcome.host, outcome.port)?.name ?? 'direct';
    this.outcomes.push({ ...outcome, route });
  }

  /** The last failure towards host and port, unless they were reached as well; a spent budget counts always. */
  failureOf(host: string, port: number): AppError | null {
    const failure = this.#failures.get(`${host}:${port}`) ?? null;
    const wasReached = this.#reached.has(`${host}:${port}`);
    return failure && wasReached && failure.result !== 'budget' ? null : failure;
  }
}

/** Any failure as one that the log can hold. */
export function asEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  const detail = 'The connection ended before the target answered.';
  return new EgressError('target_unreachable', detail, 'reset', null, { cause: error });
}
