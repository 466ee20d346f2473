import { listUsers as contract } from '../../../shared/contracts/admin/users.ts';
import { listUsers } from '../../../shared/db/users.ts';
import { presentLicense } from '../../../shared/license.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(contract, async ({ input: { limit, cursor }, deps: { db } }) => {
  const rows = await listUsers(db, { limit: limit + 1, after: cursor });
  const page = rows.slice(0, limit);
  return {
    users: page.map(({ user, license, activeKeys }) => ({
      id: user.id,
      email: user.email,
      name: user.name,
      role: user.role,
      license: license && presentLicense(license),
      activeKeys,
      createdAt: user.created_at.toISOString(),
    })),
    nextCursor: rows.length > limit ? (page.at(-1)?.user.id ?? null) : null,
  };
});
