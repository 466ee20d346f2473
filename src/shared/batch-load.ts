import { isDatabaseSilent } from './db/client.ts';

/** One under way, and one that gathers its answer while the other's is waited for. */
const visitsAtOnce = 2;

interface Visit<Value> {
  keys: Set<string>;
  found: PromiseWithResolvers<ReadonlyMap<string, Value>>;
}

/**
 * Makes one visit out of many look-ups: those that arrive together, or while enough visits are under way, share
 * the next one. A look-up is always answered by a visit that began after it was asked, so it never sees what was
 * true only before. Where Postgres is silent, those that wait fail too.
 * @param load answers what it has found, by key.
 */
export function batchLoad<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let next: Visit<Value> | null = null;
  let underWay = 0;

  function startNext(): void {
    if (next === null || underWay >= visitsAtOnce) return;
    const { keys, found } = next;
    next = null;
    underWay += 1;
    const start = performance.now();
    load([...keys])
      .then(found.resolve, (error: unknown) => {
        found.reject(error);
        if (!isDatabaseSilent(error, start)) return;
        next?.found.reject(error);
        next = null;
      })
      .finally(() => {
        underWay -= 1;
        startNext();
      });
  }

  return async (key) => {
    if (next === null) {
      next = { keys: new Set(), found: Promise.withResolvers() };
      // After the requests that this turn of the event loop has brought.
      setImmediate(startNext);
    }
    const visit = next;
    visit.keys.add(key);
    return (await visit.found.promise).get(key);
  };
}
