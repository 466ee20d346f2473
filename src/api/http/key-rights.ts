import { parseAddressRange } from '../../shared/address-range.ts';
import type { ApiKeyRow } from '../../shared/db/account-tables.ts';
import { AppError } from '../../shared/errors.ts';
import type { Principal } from './context.ts';

/** @throws AppError `forbidden` where the key is for other operations: its scopes name neither the area nor the id. */
export function checkScope({ scopes }: Pick<Principal, 'scopes'>, operationId: string): void {
  const [area = ''] = operationId.split('.');
  if (scopes === null || scopes.includes(area) || scopes.includes(operationId)) return;
  throw new AppError(
    'forbidden',
    `This API key is for ${scopes.join(', ')} only, and this call is ${operationId}. Use another key, or widen its scopes.`,
  );
}

/** @throws AppError `forbidden` where the request comes from elsewhere than the key is for. */
export function checkAddress(
  { allowed_addresses: allowed }: Pick<ApiKeyRow, 'allowed_addresses'>,
  address: string,
): void {
  if (allowed === null || allowed.some((range) => parseAddressRange(range)?.contains(address))) return;
  throw new AppError(
    'forbidden',
    `This API key is not accepted from ${address}. Use it from its allowed addresses, or change them; behind a proxy, the operator sets TRUSTED_PROXIES.`,
  );
}
