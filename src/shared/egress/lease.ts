import type { AppError } from '../errors.ts';
import type { Tracing } from '../tracing/tracing.ts';
import { type ClientParts, fetchTarget } from './client.ts';
import { Connections, LeaseAgent } from './connections.ts';
import type { Dial } from './dialer.ts';
import { OutcomeLog } from './outcome-log.ts';
import type { TargetPolicy } from './policy.ts';
import { type TraceTarget, traceTargets } from './trace-targets.ts';
import { type Proxy, startProxy } from './proxy.ts';
import type { ProxyParts } from './proxy-parts.ts';
import { streamTarget } from './stream.ts';
import { checkTargetUrl, portOf } from './target-url.ts';
import type {
  EgressLease,
  EgressLeaseOptions,
  EgressOutcome,
  EgressRequest,
  EgressResponse,
  EgressStream,
  EgressStreamRequest,
  ProxyAddress,
  WaitingProxy,
} from './types.ts';
import type { UpstreamProxies } from './upstream-proxies.ts';

const defaultByteBudget = 100 * 1024 * 1024;

/** Made once: its stack, which would say nothing, takes longer to make than all else of an end. */
const hasEnded = new DOMException('The egress lease has ended', 'AbortError');

/** One job's way out; the contract is `EgressLease`. */
export class Lease implements EgressLease {
  readonly #parts: ClientParts;
  readonly #traceTarget: TraceTarget;
  readonly #proxyHeadersTimeoutMs: number | undefined;
  readonly #onEnd: () => void;
  readonly #options: EgressLeaseOptions;
  readonly turnedAway = new Map<string, number>();
  readonly #maxProxyRequests: number;
  /** What the proxy has passed on, and what `admit` has let through it. */
  readonly #passed = { request: 0, tunnel: 0, admitted: 0 };
  droppedRequests = 0;
  #proxy: Promise<Proxy> | null = null;
  #ended: Promise<void> | null = null;

  constructor(
    door: {
      dial: Dial;
      policy: TargetPolicy;
      proxies: UpstreamProxies;
      tracing: Tracing;
      proxyHeadersTimeoutMs?: number | undefined;
      onEnd: (lease: Lease) => void;
    },
    options: EgressLeaseOptions,
  ) {
    const connections = new Connections(door.dial, {
      byteBudget: options.byteBudget ?? defaultByteBudget,
      verifyTls: options.verifyTls ?? true,
      oldTls: options.oldTls ?? false,
    });
    this.#maxProxyRequests = options.maxProxyRequests ?? Infinity;
    const agent = new LeaseAgent(connections);
    const { policy, proxies, tracing } = door;
    this.#parts = { connections, agent, policy, log: new OutcomeLog(proxies) };
    this.#traceTarget = traceTargets(tracing, proxies);
    this.#proxyHeadersTimeoutMs = door.proxyHeadersTimeoutMs;
    this.#options = options;
    const { signal } = options;
    const onAbort = (): void => connections.end(signal?.reason);
    if (signal?.aborted) onAbort();
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#onEnd = () => {
      signal?.removeEventListener('abort', onAbort);
      door.onEnd(this);
    };
  }

  get outcomes(): readonly EgressOutcome[] {
    return this.#parts.log.outcomes;
  }

  get bytesReceived(): number {
    return this.#parts.connections.received;
  }

  get signal(): AbortSignal {
    return this.#parts.connections.signal;
  }

  turnsAway(host: string): boolean {
    if (this.#options.turnAway?.(host) !== true) return false;
    this.turnedAway.set(host, (this.turnedAway.get(host) ?? 0) + 1);
    return true;
  }

  admit(): boolean {
    return this.#count('admitted');
  }

  get isSpent(): boolean {
    const { request, tunnel, admitted } = this.#passed;
    return request + Math.max(tunnel, admitted) >= this.#maxProxyRequests;
  }

  drop(): void {
    this.droppedRequests += 1;
  }

  /** A tunnel carries what was admitted: the larger number of both counts. */
  #count(way: 'request' | 'tunnel' | 'admitted'): boolean {
    const { tunnel, admitted } = this.#passed;
    const byTls = { request: Math.max(tunnel, admitted), tunnel, admitted }[way];
    const isWithin = this.#passed.request + byTls < this.#maxProxyRequests;
    if (isWithin) this.#passed[way] += 1;
    else this.drop();
    return isWithin;
  }

  fetch(request: EgressRequest): Promise<EgressResponse> {
    return this.#trace(request, () => fetchTarget(this.#parts, request));
  }

  stream(request: EgressStreamRequest): Promise<EgressStream> {
    return this.#trace(request, () => streamTarget(this.#parts, request));
  }

  #trace<T extends { status: number }>(
    { url, method = 'GET' }: Pick<EgressRequest, 'url' | 'method'>,
    ask: () => Promise<T>,
  ): Promise<T> {
    const target = URL.parse(url);
    const to = { host: target?.hostname ?? '', port: target === null ? 0 : portOf(target) };
    return this.#traceTarget(method, to, async (span) => {
      const response = await ask();
      span.set({ 'http.response.status_code': response.status });
      return response;
    });
  }

  async openProxy(): Promise<ProxyAddress & { host: string; port: number }> {
    if (this.#ended) throw new Error('The lease has ended');
    this.#proxy ??= this.#startProxy();
    const { port, url, username, password, signInUrl } = await this.#proxy;
    return { url, host: '127.0.0.1', port, username, password, signInUrl };
  }

  takeProxy(waiting: WaitingProxy): boolean {
    if (this.#ended || this.#proxy) return false;
    const proxy = waiting as Proxy;
    this.#serve(proxy);
    this.#proxy = Promise.resolve(proxy);
    return true;
  }

  async #startProxy(): Promise<Proxy> {
    const headersTimeoutMs = this.#proxyHeadersTimeoutMs;
    const proxy = await startProxy({ policy: this.#parts.policy, headersTimeoutMs });
    this.#serve(proxy);
    return proxy;
  }

  #serve(proxy: Proxy): void {
    const turnAway: ProxyParts['turnAway'] = (host, way) => this.turnsAway(host) || !this.#count(way);
    proxy.serve({ ...this.#parts, turnAway, traceTarget: this.#traceTarget });
  }

  failureOf(url: string): AppError | null {
    const checked = checkTargetUrl(url, this.#parts.policy);
    return checked.error ?? this.#parts.log.failureOf(checked.host, checked.port);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    this.#parts.connections.end(hasEnded);
    this.#parts.agent.destroy();
    // A proxy that could not start is gone already.
    const proxy = await this.#proxy?.catch(() => null);
    await proxy?.[Symbol.asyncDispose]();
    this.#onEnd();
  }
}
