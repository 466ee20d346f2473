import { useEffect, useRef } from 'react';

/** Changes of a busy hour come in heaps; a page is asked for anew at most this often. */
const gatherMs = 300;
/** Refused, as while the service cannot tell where a feed begins: a browser leaves that be. */
const openAgainMs = 5_000;

const listeners = new Set<() => void>();
let source: EventSource | null = null;
let again: ReturnType<typeof setTimeout> | undefined;
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
  clearTimeout(again);
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
  clearTimeout(again);
  const opened = new EventSource('/api/proxy/events');
  source = opened;
  opened.addEventListener('message', tell);
  // It connects again by itself, unless it was refused; pages that listen ask from time to time all the same.
  opened.addEventListener('open', tell);
  opened.addEventListener('error', () => {
    if (opened !== source || opened.readyState !== EventSource.CLOSED) return;
    close();
    again = setTimeout(openOrClose, openAgainMs);
  });
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
