/** Work that several wait for: done once while it runs, ended when nobody waits any more. */
export interface SingleFlight<T> {
  /**
   * Joins the load of this key that is running, or starts one.
   * @param load its signal aborts when the last who waits has left.
   * @throws what the load throws; the reason of `signal`, for this one alone.
   */
  join(key: string, signal: AbortSignal, load: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

interface Running<T> {
  result: Promise<T>;
  abort: AbortController;
  waiting: number;
  isOver: boolean;
}

export function createSingleFlight<T>(): SingleFlight<T> {
  const running = new Map<string, Running<T>>();

  function start(key: string, load: (signal: AbortSignal) => Promise<T>): Running<T> {
    const abort = new AbortController();
    const forget = () => {
      if (running.get(key) === entry) running.delete(key);
    };
    const result = load(abort.signal).finally(() => {
      entry.isOver = true;
      forget();
    });
    result.catch(() => undefined);
    const entry = { result, abort, waiting: 0, isOver: false };
    // Who comes after the last has left must not join a load that is being ended.
    abort.signal.addEventListener('abort', forget, { once: true });
    running.set(key, entry);
    return entry;
  }

  return {
    async join(key, signal, load) {
      signal.throwIfAborted();
      const entry = running.get(key) ?? start(key, load);
      entry.waiting++;
      const left = Promise.withResolvers<never>();
      const leave = () => left.reject(signal.reason);
      signal.addEventListener('abort', leave, { once: true });
      try {
        return await Promise.race([entry.result, left.promise]);
      } finally {
        signal.removeEventListener('abort', leave);
        if (--entry.waiting === 0 && !entry.isOver) entry.abort.abort(signal.reason);
      }
    },
  };
}
