import { useSyncExternalStore } from 'react';

/**
 * The key that the playground sends. It is kept for this tab only, and goes when the tab is closed: the service
 * itself never shows a key twice.
 */
const storageKey = 'quarry.key';
const listeners = new Set<() => void>();

export function setOwnKey(key: string): void {
  if (key === '') sessionStorage.removeItem(storageKey);
  else sessionStorage.setItem(storageKey, key);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function useOwnKey(): string {
  return useSyncExternalStore(subscribe, () => sessionStorage.getItem(storageKey) ?? '');
}
