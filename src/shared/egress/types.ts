import type { AppError } from '../errors.ts';
import type { RedirectCookies } from './cookies.ts';

import type { Readable } from 'node:stream';

/**
 * Why the door refused; internal. Clients see `url_not_allowed` for name, address and port alike. `host`: the lease is
 * bound to others. `proxy`: the operator's proxy did.
 */
export type RefusalReason =
  | 'parse'
  | 'scheme'
  | 'credentials'
  | 'name'
  | 'address'
  | 'port'
  | 'host'
  | 'proxy'
  | 'dns'
  | 'redirects'
  | 'protocol';

/** The one door out. Everything that leaves the machine passes a lease of it. */
export interface EgressDoor extends AsyncDisposable {
  /**
   * Checks a target's text without touching the network.
   * @throws AppError `invalid_request` (syntax, scheme, credentials) or `url_not_allowed` (name, address, port).
   */
  check(url: string): URL;
  /** Opens a lease: one job's way out, with its own byte budget and record of outcomes. */
  openLease(options?: EgressLeaseOptions): EgressLease;
  /** Starts a proxy for a lease that is still to come. */
  openProxy(): Promise<WaitingProxy>;
}

/** Where a lease's proxy is, and the credential that it asks for (Basic). */
export interface ProxyAddress {
  /** Without the credential. */
  readonly url: string;
  readonly username: string;
  readonly password: string;
  /** Answers 204 to who has the credential, so that Chromium can learn it before the page is there; nobody guesses it. */
  readonly signInUrl: string;
}

/** A forward proxy on loopback that lets nothing through until a lease takes it. */
export interface WaitingProxy extends ProxyAddress, AsyncDisposable {}

export interface EgressLeaseOptions {
  /**
   * The only hosts that the lease reaches, redirects included: `host[:port]`, as `URL.host` spells it; without a port 80
   * and 443. Those that the operator has configured (a provider's base URL) may be private.
   */
  hosts?: readonly string[];
  /** Bytes that may come in over the whole lease, as they cross the wire. Default 100 MiB. */
  byteBudget?: number;
  /** False accepts any certificate from targets fetched by `fetch`. Default true. */
  verifyTls?: boolean;
  /** Speaks TLS 1.0 and 1.1 and nothing newer, to learn whether a target still does. Default false. */
  oldTls?: boolean;
  /** Aborting it ends every connection of the lease. */
  signal?: AbortSignal;
  /**
   * Requests that the lease's proxy passes on, those that `admit` counts among them; of what goes by TLS the proxy sees
   * connections only, of which it opens as many. The rest is turned away. Default: all.
   */
  maxProxyRequests?: number;
  /** Hosts that the lease's proxy turns away without asking them, such as advertisers'. No failure. */
  turnAway?(host: string): boolean;
}

export interface EgressLease extends AsyncDisposable {
  /** Follows redirects, each hop checked. Resolves for every HTTP status; throws AppError otherwise. */
  fetch(request: EgressRequest): Promise<EgressResponse>;
  /**
   * As `fetch`, but resolves with the headers; the body is read as it comes, in bounded memory. It must be read to its
   * end, left (`break`) or destroyed, or its connection is held until the lease ends.
   */
  stream(request: EgressStreamRequest): Promise<EgressStream>;
  /** Starts (once) this lease's forward proxy on loopback, for programs that are not ours. */
  openProxy(): Promise<ProxyAddress & { host: string; port: number }>;
  /** Makes the proxy this lease's own, to end with it. @returns false when the lease has one, or has ended. */
  takeProxy(proxy: WaitingProxy): boolean;
  /** What happened to each connection of the lease, in order of ending. */
  readonly outcomes: readonly EgressOutcome[];
  /** The true cause why `url` could not be reached, as the client should see it; null when it was reached. */
  failureOf(url: string): AppError | null;
  /** Bytes received so far. */
  readonly bytesReceived: number;
  /** Aborted when the lease ends; its reason is an AppError when its byte budget was spent. */
  readonly signal: AbortSignal;
  /** Asks `turnAway`, for what need not reach the proxy, which asks by itself. True counts a request in `turnedAway`. */
  turnsAway(host: string): boolean;
  /** Requests that `turnAway` stopped, by host. */
  readonly turnedAway: ReadonlyMap<string, number>;
  /** Counts a request by TLS that is to be made through the proxy. @returns false past `maxProxyRequests`. */
  admit(): boolean;
  /** The next request will be turned away. */
  readonly isSpent: boolean;
  /** Counts a request that is not made, for another reason. */
  drop(): void;
  /** Requests that were not made: past `maxProxyRequests`, and those told to `drop`. */
  readonly droppedRequests: number;
}

export interface EgressOutcome {
  host: string;
  port: number;
  via: 'fetch' | 'proxy' | 'tunnel';
  result:
    'ok' | 'refused' | 'dns' | 'connect' | 'tls' | 'reset' | 'timeout' | 'budget' | 'protocol' | 'proxy';
  /** Set when refused. */
  reason: RefusalReason | null;
  bytesReceived: number;
  /** The way that connections to the host take: `direct`, or the upstream proxy, as `http://proxy:3128`. */
  route: string;
}

export interface EgressRequest {
  url: string;
  /** An answer has led to `url`: neither its length nor how it is spelled is judged, as with redirects that are followed. */
  isRedirected?: boolean;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Sent to every hop. */
  headers?: Record<string, string>;
  /** Sent to the origin of `url` only; a redirect to another origin drops them. */
  originHeaders?: Record<string, string>;
  /** What can be iterated is sent as it comes, on a connection of its own, and once: no redirect can take it along. */
  body?: EgressBody;
  /** Of a body that is sent as it comes, where its length is known; else it is sent in chunks. */
  bodyBytes?: number;
  /** Default 20. */
  maxRedirects?: number;
  /** Kept between the requests of one page; else each request keeps its own between its redirects. */
  cookieJar?: RedirectCookies;
  /** Whole request, redirects and body together. Default 30,000. */
  timeoutMs?: number;
  /** From the request sent to its first response byte, each hop. Default 10,000. */
  firstByteTimeoutMs?: number;
  /**
   * Of the body alone, where the head is an answer too: at its end, or that of the whole request, `body` is what came,
   * be it nothing. Default: a body of which nothing has come at the end of the request is a failure.
   */
  bodyTimeoutMs?: number;
  /** Decoded body bytes. Past it: `target_too_large`. Default 20 MiB; of a stream no bound but the lease's budget. */
  maxBodyBytes?: number;
  /** Past `maxBodyBytes` the body is cut and `truncated`, in place of the failure. */
  cutsBody?: boolean;
  signal?: AbortSignal;
  /** `manual` answers a redirect as it is. Default `follow`. */
  redirect?: 'follow' | 'manual';
  /** Asked once the headers are there; false leaves the body unread, and `body` empty. Default: it is read. */
  readBody?(head: { status: number; headers: Record<string, string> }): boolean;
}

export type EgressBody = Buffer | string | AsyncIterable<Uint8Array>;

export interface EgressStreamRequest extends Omit<
  EgressRequest,
  'timeoutMs' | 'bodyTimeoutMs' | 'cutsBody' | 'readBody'
> {
  /** Until the headers of the final answer, the sending of the body included. Default 30,000. */
  timeoutMs?: number;
  /** Longest wait for the next piece of the body, while somebody waits for it. Default 30,000. */
  idleTimeoutMs?: number;
}

/** What a target's certificate says of itself. */
export interface EgressCertificate {
  /** It is valid for the host and signed by an authority that is publicly trusted. */
  valid: boolean;
  /** Organization, else common name, of who signed it. */
  issuer: string | null;
  expiresAt: Date | null;
}

export interface EgressResponse {
  /** Where the redirects ended. */
  url: string;
  status: number;
  /** Lower-case names; repeated headers joined by ", " (set-cookie by newline). */
  headers: Record<string, string>;
  redirects: { url: string; status: number; location: string }[];
  /** Decoded (gzip, deflate, br, zstd). */
  body: Buffer;
  /** The body stalled at the deadline or ended early; `body` holds what came. */
  truncated: boolean;
  timings: {
    dnsMs: number;
    connectMs: number;
    tlsMs: number | null;
    firstByteMs: number;
    /** From the beginning to the headers of the last hop. */
    headMs: number;
    totalMs: number;
  };
  /** Of the last hop; null where it is plain http. */
  certificate: EgressCertificate | null;
}

export interface EgressStream extends Pick<
  EgressResponse,
  'url' | 'status' | 'headers' | 'redirects' | 'certificate'
> {
  /** Decoded; ask with `accept-encoding: identity` for the bytes as they are stored. Fails with an AppError. */
  body: Readable & AsyncIterable<Buffer>;
}
