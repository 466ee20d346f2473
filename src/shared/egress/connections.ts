import type { ClientRequestArgs } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Agent } from '../node-http.ts';
import { AnswerHeads } from './answer-heads.ts';
import type { Dial } from './dialer.ts';
import { budgetError, type EgressError, tellReached } from './egress-error.ts';
import { describeCertificate, secureSocket } from './tls.ts';
import type { EgressCertificate } from './types.ts';

export interface Connection {
  /** Speaks plain HTTP: the TLS layer where there is one. */
  stream: Socket;
  dnsMs: number;
  connectMs: number;
  tlsMs: number | null;
  /** Null without TLS. */
  certificate: EgressCertificate | null;
  /** Told of each request that is sent on it. */
  heads: AnswerHeads;
  /** Bytes received on the wire since the connection began, TLS included; booked to the lease by this call. */
  countReceived(): number;
}

export interface Route {
  host: string;
  port: number;
  tls: boolean;
  signal: AbortSignal;
}

/** All connections of one lease: opened through the door's dialer, counted against one budget, ended together. */
export class Connections {
  readonly #dial: Dial;
  readonly #tls: { verify: boolean; isOld: boolean };
  readonly #budgetBytes: number;
  readonly #end = new AbortController();
  readonly #open = new Set<Connection>();
  readonly #byStream = new WeakMap<Duplex, Connection>();
  #received = 0;
  #budgetFailure: EgressError | null = null;

  constructor(dial: Dial, options: { byteBudget: number; verifyTls: boolean; oldTls?: boolean }) {
    this.#dial = dial;
    this.#tls = { verify: options.verifyTls, isOld: options.oldTls ?? false };
    this.#budgetBytes = options.byteBudget;
  }

  /** Aborted when the lease ends or its budget is spent; its reason is what a request then fails with. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Why everything ended, when it was the budget. */
  get budgetFailure(): EgressError | null {
    return this.#budgetFailure;
  }

  get received(): number {
    for (const connection of this.#open) connection.countReceived();
    return this.#received;
  }

  /** @throws EgressError, or a signal's reason. */
  async connect({ host, port, tls, signal }: Route): Promise<Connection> {
    this.signal.throwIfAborted();
    const { socket, dnsMs, connectMs } = await this.#dial(host, port, signal);
    let booked = 0;
    const countReceived = (): number => {
      const total = socket.bytesRead;
      const fresh = total - booked;
      booked = total;
      this.#book(fresh);
      return total;
    };
    const connection: Connection = {
      stream: socket,
      dnsMs,
      connectMs,
      tlsMs: null,
      certificate: null,
      heads: new AnswerHeads(),
      countReceived,
    };
    this.#open.add(connection);
    socket.once('close', () => {
      countReceived();
      this.#open.delete(connection);
    });
    socket.on('error', () => socket.destroy());
    if (this.signal.aborted) socket.destroy();
    if (tls) {
      const startedAt = performance.now();
      const secured = await secureSocket(socket, host, { ...this.#tls, signal }).catch((error: unknown) => {
        tellReached(error, { dnsMs, connectMs, tlsMs: null });
        throw error;
      });
      connection.stream = secured;
      connection.tlsMs = performance.now() - startedAt;
      connection.certificate = describeCertificate(secured);
    }
    this.#byStream.set(connection.stream, connection);
    return connection;
  }

  /** The connection under a request's socket. */
  of(stream: Duplex): Connection | undefined {
    return this.#byStream.get(stream);
  }

  end(reason: unknown): void {
    if (this.signal.aborted) return;
    this.#end.abort(reason);
    for (const connection of this.#open) connection.stream.destroy();
  }

  #book(bytes: number): void {
    this.#received += bytes;
    if (this.#received <= this.#budgetBytes || this.signal.aborted) return;
    this.#budgetFailure = budgetError(this.#budgetBytes);
    this.end(this.#budgetFailure);
  }
}

/** A request's options as the agent gets them back. */
export type RoutedRequest = ClientRequestArgs & { route: Route };

/** Keeps a lease's idle connections for its next request to the same origin. */
export class LeaseAgent extends Agent {
  readonly #connections: Connections;

  constructor(connections: Connections) {
    super({ keepAlive: true, maxFreeSockets: 32, scheduling: 'lifo' });
    this.#connections = connections;
  }

  override getName(options?: unknown): string {
    const { host, port, tls } = (options as RoutedRequest).route;
    return `${tls ? 'https' : 'http'}://${host}:${port}`;
  }

  override createConnection(
    options: unknown,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { route } = options as RoutedRequest;
    this.#connections.connect(route).then(
      ({ stream, heads }) => {
        readThrough(stream, heads);
        callback?.(null, stream);
      },
      (error: unknown) => callback?.(error as Error, undefined as unknown as Duplex),
    );
  }
}

/** Node's parser sees what a connection brings once its heads have been mended. */
function readThrough(stream: Socket, heads: AnswerHeads): void {
  const push = stream.push.bind(stream);
  stream.push = (chunk: Buffer | null) => {
    let bytes: Buffer | null;
    try {
      bytes = chunk === null ? heads.rest() : heads.pass(chunk);
    } catch (error) {
      stream.destroy(error as Error);
      return false;
    }
    const goesOn = bytes === null || push(bytes);
    return chunk === null ? push(null) : goesOn;
  };
}
