import { createApiKey } from '../../src/shared/db/api-keys.ts';
import type { ApiCluster } from './api-cluster.ts';

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
 * processes of the cluster picked at random.
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
        expiresAt: null,
      }),
    ),
  );
  const anyApi = () => cluster.apis[Math.floor(Math.random() * cluster.apis.length)]?.url;
  const send = async (path: string, method: string, headers: Record<string, string>) => {
    const response = await fetch(new URL(path, anyApi()), { method, headers });
    await response.arrayBuffer();
    return response.status;
  };
  const result = { accepted: 0, refused: 0, acceptedAfterRevoke: 0 };
  let current = 0;
  const isRevoked = new Set<number>();

  async function hammer(): Promise<void> {
    while (current < keys.length) {
      const n = Math.max(0, current - Math.floor(Math.random() * 2));
      const revokedBefore = isRevoked.has(n);
      const headers = { 'X-API-Key': keys[n]?.text ?? '' };
      const status =
        Math.random() < 0.5
          ? await send('/api/keys/validate', 'POST', headers)
          : await send('/api/proxy/jobs?limit=1', 'GET', headers);
      if (status === 401) result.refused += 1;
      else result.accepted += 1;
      if (revokedBefore && status !== 401) result.acceptedAfterRevoke += 1;
    }
  }

  const start = performance.now();
  const clients = Array.from({ length: connections }, hammer);
  for (const { row } of keys) {
    const status = await send(`/api/keys/${row.id}/revoke`, 'POST', { Cookie: owner.cookie });
    if (status !== 200) throw new Error(`The revoke answered ${status}`);
    isRevoked.add(current);
    current += 1;
  }
  await Promise.all(clients);
  const requests = result.accepted + result.refused;
  return { ...result, rate: (requests * 1_000) / (performance.now() - start) };
}
