import { deleteKey } from '../../../shared/contracts/keys/delete.ts';
import { deleteOwnKey } from '../../../shared/db/key-lifecycle.ts';
import { isId } from '../../../shared/ids.ts';
import { defineHandler } from '../../handler.ts';
import { noSuchKey } from '../../present-key.ts';

export default defineHandler(deleteKey, async ({ input: { id }, principal: { userId }, deps: { db } }) => {
  if (!isId(id) || !(await deleteOwnKey(db, { id, userId }))) throw noSuchKey();
  return { success: true } as const;
});
