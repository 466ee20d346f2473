import { videoHealthz } from '../../../shared/contracts/video/healthz.ts';
import { version } from '../../../shared/version.ts';
import { listOpenCircuits } from '../../../shared/video/circuits.ts';
import { defineHandler, StatusAnswer } from '../../handler.ts';

export default defineHandler(videoHealthz, async ({ deps }) => {
  const { status, ...checks } = await deps.health.report();
  const open = checks.redis === 'ok' ? await listOpenCircuits(deps.redis).catch(() => null) : null;
  const platforms =
    open === null
      ? null
      : [...open].map(([platform, until]) => ({
          platform,
          circuit: 'open' as const,
          until: until.toISOString(),
        }));
  return new StatusAnswer(status === 'down' ? 503 : 200, {
    status,
    version,
    checks: { ...checks, platforms },
  });
});
