import { connect, type Socket } from 'node:net';
import { EgressError, timeoutError } from './egress-error.ts';

const connectTimeoutMs = 10_000;
// RFC 8305 (happy eyeballs): the next address starts while the one before it is still trying.
const attemptDelayMs = 250;
const maxAddressesTried = 6;

/** Starts a TCP connection to an address that was checked. */
export type OpenTcp = (address: string, port: number) => Socket;

export const openTcp: OpenTcp = (address, port) => connect({ host: address, port, noDelay: true });

export interface Attempt {
  host: string;
  port: number;
  signal: AbortSignal;
  open: OpenTcp;
}

/**
 * Connects to one of the addresses of `host`.
 * @throws EgressError `target_unreachable`, `target_timeout`; or the signal's reason.
 */
export function connectToFirst(all: readonly string[], to: Attempt): Promise<Socket> {
  const { host, port, signal, open } = to;
  const addresses = interleave(all).slice(0, maxAddressesTried);
  return new Promise((resolve, reject) => {
    const attempts = new Set<Socket>();
    let nextIndex = 0;
    let nextTimer: NodeJS.Timeout | undefined;

    function settle(winner: Socket | null): void {
      clearTimeout(nextTimer);
      clearTimeout(timeout);
      signal.removeEventListener('abort', onAbort);
      for (const socket of attempts) if (socket !== winner) socket.destroy();
    }
    function fail(error: unknown): void {
      settle(null);
      reject(error);
    }
    function tryNext(): void {
      const address = addresses[nextIndex++];
      if (address === undefined) return;
      const socket = open(address, port);
      attempts.add(socket);
      socket.once('connect', () => {
        settle(socket);
        socket.removeAllListeners('error');
        resolve(socket);
      });
      socket.on('error', (cause) => {
        attempts.delete(socket);
        clearTimeout(nextTimer);
        if (nextIndex < addresses.length) tryNext();
        else if (attempts.size === 0) fail(unreachable(host, port, cause));
      });
      if (nextIndex < addresses.length) nextTimer = setTimeout(tryNext, attemptDelayMs);
    }
    const onAbort = (): void => fail(signal.reason);
    const timeout = setTimeout(() => {
      fail(timeoutError(`${host}:${port} did not accept a connection within ${connectTimeoutMs / 1000} s.`));
    }, connectTimeoutMs);

    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    tryNext();
  });
}

function unreachable(host: string, port: number, cause: NodeJS.ErrnoException): EgressError {
  const why =
    cause.code === 'ECONNREFUSED'
      ? 'it refused the connection'
      : 'there is no route to it or it does not answer';
  const detail = `${host}:${port} could not be reached: ${why}. Check that the site is up and the port is right.`;
  return new EgressError('target_unreachable', detail, 'connect', null, { cause });
}

/** IPv4 and IPv6 in turn, so that one broken family costs one attempt. */
export function interleave(addresses: readonly string[]): string[] {
  const v4 = addresses.filter((address) => !address.includes(':'));
  const v6 = addresses.filter((address) => address.includes(':'));
  const inTurn = Array.from({ length: Math.max(v4.length, v6.length) }, (_, i) => [v4[i], v6[i]]).flat();
  return inTurn.filter((address) => address !== undefined);
}
