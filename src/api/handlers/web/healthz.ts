import { healthz } from '../../../shared/contracts/web/healthz.ts';
import { version } from '../../../shared/version.ts';
import { defineHandler, StatusAnswer } from '../../handler.ts';

export default defineHandler(healthz, async ({ deps }) => {
  const { status, ...checks } = await deps.health.report();
  return new StatusAnswer(status === 'down' ? 503 : 200, { status, version, checks });
});
