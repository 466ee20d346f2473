import { grantLicense as contract } from '../../../shared/contracts/admin/grant-license.ts';
import { findUser, grantLicense } from '../../../shared/db/users.ts';
import { AppError } from '../../../shared/errors.ts';
import { isId } from '../../../shared/ids.ts';
import { presentLicense } from '../../../shared/license.ts';
import { defineHandler } from '../../handler.ts';

export default defineHandler(contract, async ({ input, actor, deps: { db, config } }) => {
  if (!isId(input.id) || (await findUser(db, input.id)) === undefined) {
    throw new AppError('not_found', 'There is no user with this id. GET /api/admin/users lists them.');
  }
  const plan = Object.hasOwn(config.PLANS, input.plan) ? config.PLANS[input.plan] : undefined;
  if (plan === undefined) {
    const message = `There is no such plan. Plans: ${Object.keys(config.PLANS).join(', ')}.`;
    throw new AppError('invalid_request', `plan: ${message}`, { errors: [{ path: 'plan', message }] });
  }
  const validUntil = input.validUntil === null ? null : new Date(input.validUntil);
  const license = await grantLicense(db, input.id, { name: input.plan, ...plan, validUntil }, actor);
  return { license: presentLicense(license) };
});
