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
  /** Counts what a lease receives, to the end of what is returned. @param expiresAt of the link, in milliseconds. */
  count(jobId: string, expiresAt: number, lease: Counting): Disposable;
}

export function createLinkBytes(): LinkBytes {
  const links = new Map<string, Link>();
  return {
    of(jobId) {
      const { bytes = 0, open = [] } = links.get(jobId) ?? {};
      return [...open].reduce((sum, lease) => sum + lease.bytesReceived, bytes);
    },
    count(jobId, expiresAt, lease) {
      for (const [id, { expiresAt: until, open }] of links) {
        if (until < Date.now() && open.size === 0) links.delete(id);
      }
      const link = links.get(jobId) ?? { expiresAt, bytes: 0, open: new Set() };
      link.expiresAt = Math.max(link.expiresAt, expiresAt);
      link.open.add(lease);
      links.set(jobId, link);
      return {
        [Symbol.dispose]() {
          if (link.open.delete(lease)) link.bytes += lease.bytesReceived;
        },
      };
    },
  };
}
