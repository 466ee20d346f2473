import { revokeKey } from '../../../shared/contracts/keys/revoke.ts';
import { revokeApiKey } from '../../../shared/db/api-keys.ts';
import { isId } from '../../../shared/ids.ts';
import { announceKeyChange } from '../../../shared/keys/key-changes.ts';
import { defineHandler } from '../../handler.ts';
import { endKeys } from '../../key-mutexes.ts';
import { noSuchKey } from '../../present-key.ts';

export default defineHandler(
  revokeKey,
  async ({ input: { id }, principal: { userId }, actor, deps: { db, redis } }) => {
    const row = isId(id) ? await endKeys(userId, () => revokeApiKey(db, id, userId, actor)) : undefined;
    if (row === undefined) throw noSuchKey();
    announceKeyChange(redis);
    return { success: true, message: `The key ${row.name} is revoked and refused from now on.` } as const;
  },
);
