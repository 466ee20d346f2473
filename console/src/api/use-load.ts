import { useCallback, useEffect, useRef, useState } from 'react';
import { ProblemError } from './client.ts';

export interface Loaded<Data> {
  data: Data | null;
  error: unknown;
  /** True until the first answer or failure for these `keys`. */
  loading: boolean;
  /** Asks anew at once, and for nothing any more that is under way. */
  reload(): void;
  /** Asks once more, when what is under way has been answered. */
  refresh(): void;
}

/** Where nothing could be loaded yet, as while the service starts again. */
const retryMs = 5_000;

/** A request that hangs must not end all that come after it. */
const answeredWithinMs = 30_000;

const isTimeout = (error: unknown) => error instanceof DOMException && error.name === 'TimeoutError';
const mayPass = (error: unknown) =>
  error instanceof TypeError ||
  isTimeout(error) ||
  (error instanceof ProblemError && error.problem.retryable);

/**
 * Loads when the page is shown, when `keys` change, and on `reload` and `refresh`; what was loaded for the same keys stays until then.
 * @param keys texts, numbers and the like.
 * What has failed and may go well later is tried again.
 * @param everyMs loads again after so long, while the page is visible.
 * @param goesOn false of what will not change by itself: it is loaded again when asked for only.
 */
export function useLoad<Data>(
  load: (signal: AbortSignal) => Promise<Data>,
  keys: readonly unknown[],
  everyMs?: number,
  goesOn: (data: Data) => boolean = () => true,
): Loaded<Data> {
  const asked = JSON.stringify(keys);
  const nothing = { asked, data: null, error: null, loading: true };
  const [state, setState] = useState<Omit<Loaded<Data>, 'reload' | 'refresh'> & { asked: string }>(nothing);
  const latest = useRef(load);
  latest.current = load;
  const again = useRef({ reload() {}, refresh() {} });

  useEffect(() => {
    const abort = new AbortController();
    let underWay = new AbortController();
    let isLoading = false;
    let isWanted = false;
    async function loadOnce(): Promise<void> {
      underWay = new AbortController();
      const over = AbortSignal.any([abort.signal, underWay.signal]);
      try {
        const data = await latest.current(AbortSignal.any([over, AbortSignal.timeout(answeredWithinMs)]));
        if (!over.aborted) setState({ asked, data, error: null, loading: false });
      } catch (error) {
        if (over.aborted) return;
        const dataOf = (before: { asked: string; data: Data | null }) =>
          before.asked === asked ? before.data : null;
        setState((before) => ({ asked, data: dataOf(before), error, loading: false }));
      }
    }
    /** One after the other: what is wanted while one is under way must not end it, or a busy hour would end them all. */
    async function loadWhileWanted(): Promise<void> {
      isWanted = true;
      if (isLoading) return;
      isLoading = true;
      while (isWanted && !abort.signal.aborted) {
        isWanted = false;
        await loadOnce();
      }
      isLoading = false;
    }
    again.current = {
      refresh: () => void loadWhileWanted(),
      reload() {
        underWay.abort();
        void loadWhileWanted();
      },
    };
    again.current.refresh();
    return () => abort.abort();
    // `load` is made anew with each rendering; `keys` say whether it asks for something else.
  }, [asked]);

  const { data, error, loading } = state.asked === asked ? state : nothing;
  const isWanted = data === null ? error === null || mayPass(error) : goesOn(data);
  const againMs = isWanted ? (everyMs ?? (error !== null && data === null ? retryMs : undefined)) : undefined;

  useEffect(() => {
    if (againMs === undefined) return;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') again.current.refresh();
    }, againMs);
    return () => clearInterval(timer);
  }, [againMs]);

  const reload = useCallback(() => again.current.reload(), []);
  const refresh = useCallback(() => again.current.refresh(), []);
  return { data, error, loading, reload, refresh };
}
