import { keyStatusOf } from '../shared/db/api-keys.ts';
import type { ApiKeyRow } from '../shared/db/account-tables.ts';
import { AppError } from '../shared/errors.ts';
import { keyPrefix } from '../shared/keys/key-text.ts';

const iso = (date: Date | null) => date?.toISOString() ?? null;

/** What every answer about a key has. */
export function presentKey(row: ApiKeyRow, now = new Date()) {
  const status = keyStatusOf(row, now);
  return {
    id: row.id,
    name: row.name,
    prefix: keyPrefix,
    rateLimit: row.rate_limit,
    isActive: status === 'active' || status === 'grace',
    lastUsedAt: iso(row.last_used_at),
    usageCount: row.usage_count,
    expiresAt: iso(row.expires_at),
    createdAt: row.created_at.toISOString(),
    status,
    scopes: row.scopes,
    allowedAddresses: row.allowed_addresses,
    metadata: row.metadata,
  };
}

/** For another user's key as for none: an id tells nothing. */
export function noSuchKey(): AppError {
  return new AppError('not_found', 'You have no key with this id. GET /api/keys lists those that you have.');
}
