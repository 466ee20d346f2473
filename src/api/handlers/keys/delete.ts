import { deleteKey } from '../../../shared/contracts/keys/delete.ts';
import { deleteOwnKey } from '../../../shared/db/key-lifecycle.ts';
import { isId } from '../../../shared/ids.ts';
import { announceKeyChange } from '../../../shared/keys/key-changes.ts';
import { defineHandler } from '../../handler.ts';
import { endKeys } from '../../key-mutexes.ts';
import { noSuchKey } from '../../present-key.ts';

export default defineHandler(
  deleteKey,
  async ({ input: { id }, principal: { userId }, actor, deps: { db, redis } }) => {
    const end = () => deleteOwnKey(db, { id, userId }, actor);
    if (!isId(id) || !(await endKeys(userId, end))) throw noSuchKey();
    announceKeyChange(redis);
    return { success: true } as const;
  },
);
