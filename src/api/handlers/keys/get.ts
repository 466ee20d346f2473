import { getKey } from '../../../shared/contracts/keys/get.ts';
import { findOwnKey } from '../../../shared/db/key-lifecycle.ts';
import { isId } from '../../../shared/ids.ts';
import { defineHandler } from '../../handler.ts';
import { noSuchKey, presentKey } from '../../present-key.ts';

export default defineHandler(getKey, async ({ input: { id }, principal: { userId }, deps: { db } }) => {
  const row = isId(id) ? await findOwnKey(db, { id, userId }) : undefined;
  if (row === undefined) throw noSuchKey();
  return {
    key: {
      ...presentKey(row),
      rotatedAt: row.rotated_at?.toISOString() ?? null,
      gracePeriodEndsAt: row.grace_period_ends_at?.toISOString() ?? null,
      rotatedToId: row.rotated_to_id,
    },
  };
});
