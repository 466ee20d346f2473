import { keyUsage } from '../../../shared/contracts/keys/usage.ts';
import { findOwnKey } from '../../../shared/db/key-lifecycle.ts';
import { getKeyUsage } from '../../../shared/db/key-usage.ts';
import { isId } from '../../../shared/ids.ts';
import { defineHandler } from '../../handler.ts';
import { noSuchKey } from '../../present-key.ts';

export default defineHandler(keyUsage, async ({ input: { id, days }, principal: { userId }, deps }) => {
  const row = isId(id) ? await findOwnKey(deps.db, { id, userId }) : undefined;
  if (row === undefined) throw noSuchKey();
  const limits = { perKey: row.rate_limit, perUser: row.user_rate_limit };
  const [usage, { key }] = await Promise.all([
    getKeyUsage(deps.db, row.id, days),
    deps.allowances.readWithFallback({ allowanceId: row.allowance_id, userId }, limits),
  ]);
  const { limit, used, remaining, resetMs } = key;
  return {
    dailyUsage: usage.daily,
    totalUsageCount: row.usage_count,
    rateLimit: {
      limit,
      used,
      remaining,
      windowHours: 1 as const,
      resetAt: resetMs === null ? null : new Date(Date.now() + resetMs).toISOString(),
    },
    byOperation: usage.byOperation,
  };
});
