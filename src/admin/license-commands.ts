import { z } from 'zod';
import { grantLicense, revokeLicense } from '../shared/db/users.ts';
import { presentLicense } from '../shared/license.ts';
import { AdminError, type Command, email, getUser, read } from './command.ts';

const until = z
  .union(
    [z.iso.date(), z.iso.datetime({ offset: true })],
    'is no date, e.g. 2027-01-31 or 2027-01-31T12:00:00Z',
  )
  .transform((text) => new Date(text))
  .refine((date) => date > new Date(), 'must be in the future');

const grant: Command = {
  options: ['email', 'plan', 'until?'],
  async run({ db, config }, options) {
    const user = await getUser(db, read('email', email, options['email']));
    const planName = String(options['plan']);
    const plan = Object.hasOwn(config.PLANS, planName) ? config.PLANS[planName] : undefined;
    if (plan === undefined) {
      throw new AdminError(`There is no plan ${planName}. Plans: ${Object.keys(config.PLANS).join(', ')}.`);
    }
    const validUntil = options['until'] === undefined ? null : read('until', until, options['until']);
    const license = await grantLicense(db, user.id, { name: planName, ...plan, validUntil });
    return {
      json: { userId: user.id, email: user.email, ...presentLicense(license) },
      text:
        `${user.email} has the plan ${planName}${validUntil === null ? '' : ` until ${validUntil.toISOString()}`}: ` +
        `${plan.rateLimit} requests an hour a key, ${plan.userRateLimit} in all, ${plan.maxConcurrentJobs} jobs at a time, ${plan.maxKeys} keys.`,
    };
  },
};

const revoke: Command = {
  options: ['email'],
  async run({ db }, options) {
    const user = await getUser(db, read('email', email, options['email']));
    const license = await revokeLicense(db, user.id);
    if (license === undefined) throw new AdminError(`${user.email} has no license.`);
    return {
      json: { userId: user.id, email: user.email, ...presentLicense(license) },
      text: `The license of ${user.email} is revoked. Existing keys keep working; new ones cannot be made.`,
    };
  },
};

export const licenseCommands: Record<string, Command> = {
  'license grant': grant,
  'license revoke': revoke,
};
