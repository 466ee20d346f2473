import { listKeys as contract } from '../../../shared/contracts/keys/list.ts';
import { listKeys } from '../../../shared/db/key-lifecycle.ts';
import { findUser } from '../../../shared/db/users.ts';
import { AppError } from '../../../shared/errors.ts';
import { isId } from '../../../shared/ids.ts';
import { keyPreview } from '../../../shared/keys/key-text.ts';
import { defineHandler } from '../../handler.ts';
import { presentKey } from '../../present-key.ts';

export default defineHandler(contract, async ({ input: { viewAs }, principal, deps: { db } }) => {
  if (viewAs !== undefined) {
    if (principal.role !== 'admin') {
      throw new AppError('forbidden', 'viewAs is for admins. Omit it to list your own keys.');
    }
    if (!isId(viewAs) || (await findUser(db, viewAs)) === undefined) {
      throw new AppError(
        'not_found',
        'There is no user with the id in viewAs. GET /api/admin/users lists them.',
      );
    }
  }
  const rows = await listKeys(db, viewAs ?? principal.userId);
  return { keys: rows.map((row) => ({ ...presentKey(row), keyPreview })) };
});
