import { keyAudit } from '../../../shared/contracts/keys/audit.ts';
import { findOwnKey } from '../../../shared/db/key-lifecycle.ts';
import { isId } from '../../../shared/ids.ts';
import { readAuditPage } from '../../audit-page.ts';
import { defineHandler } from '../../handler.ts';
import { noSuchKey } from '../../present-key.ts';

export default defineHandler(keyAudit, async ({ input, principal: { userId }, deps: { db } }) => {
  const { id, ...page } = input;
  if (!isId(id)) throw noSuchKey();
  const answer = await readAuditPage(db, { ...page, userId, keyId: id });
  // One that was deleted has its entries still.
  if (answer.entries.length === 0 && (await findOwnKey(db, { id, userId })) === undefined) throw noSuchKey();
  return answer;
});
