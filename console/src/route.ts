import { useSyncExternalStore } from 'react';

/** The page as the part of the address after `#`: `/jobs/0197…` is `['jobs', '0197…']`. */
function readRoute(hash: string): string[] {
  return hash
    .replace(/^#\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
}

/** What is no code stays as somebody has typed it. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function subscribe(listener: () => void): () => void {
  addEventListener('hashchange', listener);
  return () => removeEventListener('hashchange', listener);
}

export function useRoute(): string[] {
  return readRoute(useSyncExternalStore(subscribe, () => location.hash));
}

/** The address of a page. */
export const to = (...parts: string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`;

export function go(...parts: string[]): void {
  location.hash = to(...parts);
}
