import type { EgressLease } from '../shared/egress/types.ts';

type Counting = Pick<EgressLease, 'bytesReceived'>;

interface Link {
  expiresAt: number;
  /** By what has ended. */
  bytes: number;
  open: Set<Counting>;
}

/** What has come through each link, in this process, until the link expires. */
export interface LinkBytes {
  of(jobId: string): number;
  /**
   * Counts what a lease receives, to the end of what is returned.
   * @param expiresAt of the link, in milliseconds.
   * @param stop called once more than the bound has come, by whatever is open of the link.
   */
  count(jobId: string, expiresAt: number, lease: Counting, stop: () => void): Disposable;
}

const checkedEveryMs = 1_000;

/** @param mostBytes of one link. */
export function createLinkBytes(mostBytes: number): LinkBytes {
  const links = new Map<string, Link>();
  const of = (jobId: string): number => {
    const { bytes = 0, open = [] } = links.get(jobId) ?? {};
    return [...open].reduce((sum, lease) => sum + lease.bytesReceived, bytes);
  };
  return {
    of,
    count(jobId, expiresAt, lease, stop) {
      for (const [id, { expiresAt: until, open }] of links) {
        if (until < Date.now() && open.size === 0) links.delete(id);
      }
      const link = links.get(jobId) ?? { expiresAt, bytes: 0, open: new Set() };
      link.expiresAt = Math.max(link.expiresAt, expiresAt);
      link.open.add(lease);
      links.set(jobId, link);
      const checks = setInterval(() => {
        if (of(jobId) > mostBytes) stop();
      }, checkedEveryMs);
      return {
        [Symbol.dispose]() {
          clearInterval(checks);
          if (link.open.delete(lease)) link.bytes += lease.bytesReceived;
        },
      };
    },
  };
}
