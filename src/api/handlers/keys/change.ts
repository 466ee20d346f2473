import { changeKey as contract } from '../../../shared/contracts/keys/change.ts';
import { changeKey } from '../../../shared/db/key-lifecycle.ts';
import { isId } from '../../../shared/ids.ts';
import { announceKeyChange } from '../../../shared/keys/key-changes.ts';
import { defineHandler } from '../../handler.ts';
import { makeKeys } from '../../key-mutexes.ts';
import { checkKnownScopes } from '../../known-scopes.ts';
import { noSuchKey, presentKey } from '../../present-key.ts';

export default defineHandler(contract, async ({ input, principal: { userId }, actor, deps }) => {
  const { id, ...change } = input;
  checkKnownScopes(deps.catalog, change.scopes ?? null);
  const row = isId(id)
    ? await makeKeys(userId, () => changeKey(deps.db, { id, userId }, change, actor))
    : undefined;
  if (row === undefined) throw noSuchKey();
  announceKeyChange(deps.redis);
  return { key: presentKey(row) };
});
