import type { ApiKeyRow } from '../../shared/db/account-tables.ts';

/** Keys that were accepted lately, by lookup id. What is begun with one of them is promised only by a statement that asks again. */
export interface KnownKeys {
  find(lookupId: string): ApiKeyRow | undefined;
  keep(row: ApiKeyRow): void;
  forget(lookupId: string): void;
}

const keptKeys = 10_000;

/** The least recently used ones are removed first. */
export function createKnownKeys(): KnownKeys {
  const rows = new Map<string, ApiKeyRow>();

  function keep(row: ApiKeyRow): void {
    rows.delete(row.lookup_id);
    rows.set(row.lookup_id, row);
    const [oldest] = rows.keys();
    if (rows.size > keptKeys && oldest !== undefined) rows.delete(oldest);
  }

  return {
    find(lookupId) {
      const row = rows.get(lookupId);
      if (row !== undefined) keep(row);
      return row;
    },
    keep,
    forget: (lookupId) => void rows.delete(lookupId),
  };
}
