const tones: Readonly<Record<string, 'good' | 'bad' | 'busy' | 'plain'>> = {
  active: 'good',
  succeeded: 'good',
  delivered: 'good',
  ok: 'good',
  grace: 'busy',
  queued: 'busy',
  running: 'busy',
  pending: 'busy',
  degraded: 'busy',
  failed: 'bad',
  critical: 'bad',
  serious: 'bad',
  moderate: 'busy',
  revoked: 'bad',
  down: 'bad',
};

/** A status or severity as a word; the colour repeats it. */
export const Badge = ({ status }: { status: string }) => (
  <span className={`badge ${tones[status] ?? 'plain'}`}>{status}</span>
);
