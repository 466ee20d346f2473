import { setTimeout as sleep } from 'node:timers/promises';
import { createApiKey } from '../../src/shared/db/api-keys.ts';
import type { ApiCluster } from './api-cluster.ts';
import { scrapePath } from './client.ts';

export interface HammerResult {
  accepted: number;
  refused: number;
  /** Requests that were sent after the 200 of their key's revoke had been received, and accepted all the same. */
  acceptedAfterRevoke: number;
  /** Requests a second. */
  rate: number;
}

/**
 * Revokes one key after the other while `connections` clients use the current and the one before it, all on
 * processes of the cluster picked at random. No key is revoked before it was used.
 */
export async function hammerRevokes(
  cluster: ApiCluster,
  owner: { userId: string; cookie: string },
  { revokes, connections }: { revokes: number; connections: number },
): Promise<HammerResult> {
  const keys = await Promise.all(
    Array.from({ length: revokes }, () =>
      createApiKey(cluster.db, cluster.cipher, {
        userId: owner.userId,
        name: 'Hammered',
        rateLimit: 1_000,
        userRateLimit: 1_000_000,
        expiresAt: null,
      }),
    ),
  );
  const anyApi = () => cluster.apis[Math.floor(Math.random() * cluster.apis.length)]?.url;
  const send = async (path: string, method: string, headers: Record<string, string>, body?: unknown) => {
    const json = body === undefined ? {} : { body: JSON.stringify(body) };
    const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
    const response = await fetch(new URL(path, anyApi()), {
      method,
      headers: { ...headers, ...type },
      ...json,
    });
    await response.arrayBuffer();
    return response.status;
  };
  const calls = [
    (key: Record<string, string>) => send('/api/keys/validate', 'POST', key),
    (key: Record<string, string>) => send('/api/proxy/jobs?limit=1', 'GET', key),
    // Of the ones that are queued: the key is confirmed by the statement that inserts the job.
    (key: Record<string, string>) =>
      send(scrapePath, 'POST', { ...key, Prefer: 'respond-async' }, { url: 'https://site.example/' }),
  ];
  const result = { accepted: 0, refused: 0, acceptedAfterRevoke: 0 };
  let current = 0;
  const isRevoked = new Set<number>();

  async function hammer(): Promise<void> {
    while (current < keys.length) {
      const n = Math.max(0, current - Math.floor(Math.random() * 2));
      const revokedBefore = isRevoked.has(n);
      const headers = { 'X-API-Key': keys[n]?.text ?? '' };
      const status = (await calls[Math.floor(Math.random() * calls.length)]?.(headers)) ?? 0;
      // Neither is who is told that there are too many jobs, or that something is away.
      if (status === 401) result.refused += 1;
      else if (status < 400) result.accepted += 1;
      if (revokedBefore && status < 400) result.acceptedAfterRevoke += 1;
    }
  }

  const start = performance.now();
  const clients = Array.from({ length: connections }, hammer);
  /** Until clients have met both: the key that is in use, and the one before it. */
  async function untilUsed(): Promise<void> {
    const { accepted, refused } = result;
    const isUsed = () => result.accepted >= accepted + 2 && (current === 0 || result.refused >= refused + 2);
    while (!isUsed()) await sleep(5);
  }
  for (const { row } of keys) {
    await untilUsed();
    const status = await send(`/api/keys/${row.id}/revoke`, 'POST', { Cookie: owner.cookie });
    if (status !== 200) throw new Error(`The revoke answered ${status}`);
    isRevoked.add(current);
    current += 1;
  }
  await Promise.all(clients);
  const requests = result.accepted + result.refused;
  return { ...result, rate: (requests * 1_000) / (performance.now() - start) };
}
