import { EgressError } from '../../../shared/egress/egress-error.ts';
import type { EgressLease } from '../../../shared/egress/types.ts';
import type { PageQuery } from '../../../shared/schemas/page-options.ts';
import { mediaTypeOf, pageHeadersOf } from '../fetch/fetch-page.ts';
import { findImports } from './own-scripts.ts';
import { isShareable } from '../page-query.ts';

/** What is longer is a bundle or a library, whose text tells little. */
const maxScriptBytes = 64 * 1024;
/** A script that hangs costs its page so much. */
const timeoutMs = 2_000;
const keptMs = 10 * 60_000;
/** That a script hangs: pages that are read at once need not all wait for it, and it may be there soon. */
const hangingKeptMs = 30_000;
const mostKept = 300;
/** Modules that the scripts import, all together. */
const mostImports = 4;

/** Texts of scripts, kept for a while: the pages of a site share theirs, of one user and asked for alike. */
export class ScriptTexts {
  /** By who asked for which address and how, the oldest first. */
  readonly #kept = new Map<string, { text: string | null; until: number }>();

  /** @returns of those that can be read, and of modules that they import. */
  async fetch(
    lease: EgressLease,
    addresses: readonly string[],
    query: PageQuery,
    owner: string,
  ): Promise<string[]> {
    const texts = await this.#fetchAll(lease, addresses, query, owner);
    const imports = texts.flatMap((text, index) => findImports(text ?? '', addresses[index] as string));
    const further = [...new Set(imports)].filter((one) => !addresses.includes(one)).slice(0, mostImports);
    return [...texts, ...(await this.#fetchAll(lease, further, query, owner))].filter(
      (text) => text !== null,
    );
  }

  async #fetchAll(
    lease: EgressLease,
    addresses: readonly string[],
    query: PageQuery,
    owner: string,
  ): Promise<(string | null)[]> {
    return await Promise.all(addresses.map((address) => this.#fetchOne(lease, address, query, owner)));
  }

  async #fetchOne(
    lease: EgressLease,
    address: string,
    query: PageQuery,
    owner: string,
  ): Promise<string | null> {
    const { userAgent, locale, mobile, verifyTls } = query;
    const key = JSON.stringify([owner, address, userAgent, locale, mobile, verifyTls]);
    const isPublic = isShareable(query);
    const kept = isPublic ? this.#kept.get(key) : undefined;
    if (kept !== undefined && performance.now() < kept.until) return kept.text;
    const read = await readScript(lease, address, query).catch((error: unknown) => ({
      text: null,
      forMs: failureKeptMs(error, query),
    }));
    lease.signal.throwIfAborted();
    const { text, forMs } = read;
    if (!isPublic || forMs === 0) return text;
    this.#kept.delete(key);
    this.#kept.set(key, { text, until: performance.now() + forMs });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    return text;
  }
}

/** A page with more time may have a script that was late. */
const brokenOffKeptMs = (timeout: number): number => (timeout >= timeoutMs ? hangingKeptMs : 0);

function failureKeptMs(error: unknown, { timeout }: PageQuery): number {
  if (!(error instanceof EgressError)) return 0;
  if (error.result === 'timeout') return brokenOffKeptMs(timeout);
  return error.code === 'target_too_large' ? keptMs : 0;
}

/** What a server answers while it is busy or broken: the script is there at another time. */
const isPassing = (status: number): boolean => status >= 500 || [408, 425, 429].includes(status);

/** @returns with how long it may be kept. */
async function readScript(
  lease: EgressLease,
  address: string,
  query: PageQuery,
): Promise<{ text: string | null; forMs: number }> {
  const { headers, originHeaders } = pageHeadersOf(query);
  const isOwn = URL.parse(address)?.origin === URL.parse(query.url)?.origin;
  const { status, body, truncated } = await lease.fetch({
    url: address,
    headers: { ...headers, accept: '*/*' },
    ...(isOwn ? { originHeaders } : {}),
    timeoutMs: Math.min(timeoutMs, query.timeout),
    maxBodyBytes: maxScriptBytes,
    readBody: (head) =>
      head.status === 200 && /script|^text\/plain$|^$/.test(mediaTypeOf(head.headers) ?? ''),
  });
  const text = status === 200 && body.length > 0 ? body.toString() : null;
  // What is cut off has stalled, as a rule.
  const forMs = truncated ? brokenOffKeptMs(query.timeout) : keptMs;
  return { text, forMs: isPassing(status) ? 0 : forMs };
}
