import type { LicenseRow } from './db/account-tables.ts';

/** A license as users, admins and the command line see it. */
export function presentLicense(license: LicenseRow) {
  return {
    plan: license.plan,
    rateLimit: license.rate_limit,
    userRateLimit: license.user_rate_limit,
    maxConcurrentJobs: license.max_concurrent_jobs,
    maxKeys: license.max_keys,
    maxTokensPerDay: license.max_tokens_per_day === null ? null : Number(license.max_tokens_per_day),
    validFrom: license.valid_from.toISOString(),
    validUntil: license.valid_until?.toISOString() ?? null,
    revokedAt: license.revoked_at?.toISOString() ?? null,
  };
}
