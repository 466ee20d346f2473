import { useEffect, useRef } from 'react';

/** Changes of a busy hour come in heaps; a page is asked for anew at most this often. */
const gatherMs = 300;

const listeners = new Set<() => void>();
let source: EventSource | null = null;
let gathering = false;

function tell(): void {
  if (gathering) return;
  gathering = true;
  setTimeout(() => {
    gathering = false;
    for (const listener of listeners) listener();
  }, gatherMs);
}

function close(): void {
  source?.close();
  source = null;
}

/**
 * Open while somebody listens and looks: browsers keep six connections to a server over HTTP/1.1, and those of hidden
 * tabs would keep all others waiting.
 */
function openOrClose(): void {
  if (listeners.size === 0 || document.hidden) return close();
  if (source !== null) return;
  source = new EventSource('/api/proxy/events');
  source.addEventListener('message', tell);
  // It connects again by itself, unless it was refused; pages that listen ask from time to time all the same.
  source.addEventListener('open', tell);
}

document.addEventListener('visibilitychange', openOrClose);

/** Calls back soon after a job of the user has changed, as long as the page is shown; and when it is shown again. */
export function useJobChanges(onChange: () => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    const listener = () => latest.current();
    listeners.add(listener);
    openOrClose();
    return () => {
      listeners.delete(listener);
      openOrClose();
    };
  }, []);
}
