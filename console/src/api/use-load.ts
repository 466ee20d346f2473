import { useCallback, useEffect, useRef, useState } from 'react';

export interface Loaded<Data> {
  data: Data | null;
  error: unknown;
  /** True until the first answer or failure for these `keys`. */
  loading: boolean;
  reload(): void;
}

/**
 * Loads when the page is shown, when `keys` change, and on `reload`; what was loaded before stays until then.
 * @param everyMs loads again after so long, while the page is visible.
 */
export function useLoad<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  keys: readonly unknown[],
  everyMs?: number,
): Loaded<Data> {
  const [state, setState] = useState<{ data: Data | null; error: unknown; loading: boolean }>({
    data: null,
    error: null,
    loading: true,
  });
  const [turn, setTurn] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const abort = new AbortController();
    latest.current(abort.signal).then(
      (data) => {
        if (!abort.signal.aborted) setState({ data, error: null, loading: false });
      },
      (error: unknown) => {
        if (!abort.signal.aborted) setState((before) => ({ ...before, error, loading: false }));
      },
    );
    return () => abort.abort();
    // `load` is made anew with each rendering; `keys` say whether it asks for something else.
  }, [...keys, turn]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') setTurn((count) => count + 1);
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);

  const reload = useCallback(() => setTurn((count) => count + 1), []);
  return { ...state, reload };
}
