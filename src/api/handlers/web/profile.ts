import { profile } from '../../../shared/contracts/web/profile.ts';
import { countLiveJobs } from '../../../shared/jobs/find-jobs.ts';
import { getUserUsage } from '../../../shared/db/key-usage.ts';
import { getTokenUsage } from '../../../shared/db/token-uses.ts';
import { findLicense, findUser, isLicenseValid } from '../../../shared/db/users.ts';
import { AppError } from '../../../shared/errors.ts';
import { presentLicense } from '../../../shared/license.ts';
import { keyPrefix } from '../../../shared/keys/key-text.ts';
import { scarcerOf } from '../../../shared/usage/allowance.ts';
import { defineHandler } from '../../handler.ts';
import { limitsOf } from '../../http/context.ts';

export default defineHandler(profile, async ({ principal, deps }) => {
  const { db, jobsDb, allowances } = deps;
  const [user, license, usage, tokens, live, allowance] = await Promise.all([
    findUser(db, principal.userId),
    findLicense(db, principal.userId),
    getUserUsage(db, principal.userId),
    getTokenUsage(db, principal.userId),
    countLiveJobs(jobsDb, principal.userId),
    allowances.readWithFallback(principal, limitsOf(principal)),
  ]);
  if (user === undefined) throw new AppError('not_found', 'The user of this key was deleted.');
  const { remaining, resetMs } = scarcerOf(allowance);
  return {
    user: {
      id: user.id,
      name: user.name,
      email: user.email,
      license: license === undefined ? null : presentLicense(license),
    },
    key: {
      id: principal.keyId,
      name: principal.keyName,
      prefix: keyPrefix,
      rateLimit: principal.rateLimit,
      used: allowance.key.used,
      remaining,
      resetAt: resetMs === null ? null : new Date(Date.now() + resetMs).toISOString(),
    },
    usage,
    tokens,
    jobs: { ...live, maxConcurrent: isLicenseValid(license) ? license.max_concurrent_jobs : null },
  };
});
