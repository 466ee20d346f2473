import { rotateKey as contract } from '../../../shared/contracts/keys/rotate.ts';
import { gracePeriodHours, rotateKey } from '../../../shared/db/key-lifecycle.ts';
import { AppError } from '../../../shared/errors.ts';
import { isId } from '../../../shared/ids.ts';
import { defineHandler } from '../../handler.ts';
import { makeKeys } from '../../key-mutexes.ts';
import { noSuchKey } from '../../present-key.ts';

const why = {
  grace: 'was rotated already and is in its grace period. Rotate its successor (rotatedToId)',
  revoked: 'is revoked. Create a new one',
  expired: 'has expired. Create a new one',
};

export default defineHandler(contract, async ({ input: { id }, principal: { userId }, actor, deps }) => {
  const rotate = () => rotateKey(deps.db, deps.cipher, { id, userId }, actor);
  const made = isId(id) ? await makeKeys(userId, rotate) : null;
  if (made === null || made.outcome === 'not found') throw noSuchKey();
  if (made.outcome === 'inactive') {
    throw new AppError('key_inactive', `Only an active key can be rotated. This one ${why[made.status]}.`);
  }
  if (made.outcome === 'too often') {
    const { retryAfterSeconds } = made;
    const detail = `Your keys were rotated as often as they can be in an hour. The next time is in ${retryAfterSeconds} s; a key that leaked can be revoked at any time.`;
    throw new AppError('too_many_attempts', detail, { retryAfterSeconds });
  }
  const gracePeriodEndsAt = made.gracePeriodEndsAt.toISOString();
  return {
    id: made.row.id,
    key: made.text,
    message: `Keep this key now: it is shown only once. The old key is accepted until ${gracePeriodEndsAt}.`,
    gracePeriodHours,
    gracePeriodEndsAt,
  };
});
