import { isDatabaseSilent } from './db/client.ts';

const largestVisit = 64;
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
 * @param mostKeys of one visit: fewer where what is found may be large.
 */
export function batchLoad<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  mostKeys: number = largestVisit,
): (key: string) => Promise<Value | undefined> {
  const waiting: Visit<Value>[] = [];
  let underWay = 0;

  function startNext(): void {
    if (underWay >= visitsAtOnce) return;
    const visit = waiting.shift();
    if (visit === undefined) return;
    const { keys, found } = visit;
    underWay += 1;
    const start = performance.now();
    load([...keys])
      .then(found.resolve, (error: unknown) => {
        found.reject(error);
        if (!isDatabaseSilent(error, start)) return;
        for (const other of waiting.splice(0)) other.found.reject(error);
      })
      .finally(() => {
        underWay -= 1;
        startNext();
      });
  }

  return async (key) => {
    let visit = waiting.at(-1);
    if (visit === undefined || (visit.keys.size >= mostKeys && !visit.keys.has(key))) {
      visit = { keys: new Set(), found: Promise.withResolvers() };
      waiting.push(visit);
      // After the requests that this turn of the event loop has brought.
      setImmediate(startNext);
    }
    visit.keys.add(key);
    return (await visit.found.promise).get(key);
  };
}
