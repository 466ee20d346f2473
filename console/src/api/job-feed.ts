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

function open(): void {
  source = new EventSource('/api/proxy/events');
  source.addEventListener('message', tell);
  // It connects again by itself, unless it was refused; pages that listen ask from time to time all the same.
  source.addEventListener('open', tell);
}

/** Calls back soon after a job of the user has changed, as long as the page is shown. */
export function useJobChanges(onChange: () => void): void {
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    const listener = () => latest.current();
    listeners.add(listener);
    if (source === null) open();
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      source?.close();
      source = null;
    };
  }, []);
}
