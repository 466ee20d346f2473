import type { AppError } from '../errors.ts';
import { EgressError } from './egress-error.ts';
import type { EgressOutcome } from './types.ts';

/** A lease's record of what became of each connection. */
export class OutcomeLog {
  readonly outcomes: EgressOutcome[] = [];
  readonly #failures = new Map<string, EgressError>();
  readonly #reached = new Set<string>();

  reached(host: string, port: number, via: EgressOutcome['via'], bytesReceived: number): void {
    this.#reached.add(`${host}:${port}`);
    this.outcomes.push({ host, port, via, result: 'ok', reason: null, bytesReceived });
  }

  failed(host: string, port: number, via: EgressOutcome['via'], error: EgressError, bytesReceived = 0): void {
    this.#failures.set(`${host}:${port}`, error);
    const { result, reason } = error;
    this.outcomes.push({
      host,
      port,
      via,
      result,
      reason: result === 'refused' ? reason : null,
      bytesReceived,
    });
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
