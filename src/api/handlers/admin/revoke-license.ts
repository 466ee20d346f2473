import { revokeLicense as contract } from '../../../shared/contracts/admin/revoke-license.ts';
import { revokeLicense } from '../../../shared/db/users.ts';
import { AppError } from '../../../shared/errors.ts';
import { isId } from '../../../shared/ids.ts';
import { presentLicense } from '../../../shared/license.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(contract, async ({ input: { id }, actor, deps: { db } }) => {
  const license = isId(id) ? await revokeLicense(db, id, actor) : undefined;
  if (license === undefined) {
    throw new AppError(
      'not_found',
      'There is no user with this id who has a license. GET /api/admin/users lists them.',
    );
  }
  return { license: presentLicense(license) };
});
