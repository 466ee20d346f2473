import { isDatabaseUnresponsive } from './db/client.ts';

const largestLoad = 64;
/** One under way, and one that gathers its answer while the other's is waited for. */
const loadsAtOnce = 2;

interface Load<Value> {
  keys: Set<string>;
  found: PromiseWithResolvers<ReadonlyMap<string, Value>>;
}

/**
 * Makes one round trip out of many look-ups: those that arrive together, or while enough loads are under way, share
 * the next one. A look-up is always answered by a load that began after it was asked, so it never sees what was
 * true only before. Where Postgres does not respond, those that wait fail too.
 * @param load answers what it has found, by key.
 * @param mostKeys of one load: fewer where what is found may be large.
 */
export function batchLoad<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
  mostKeys: number = largestLoad,
): (key: string) => Promise<Value | undefined> {
  const waiting: Load<Value>[] = [];
  let underWay = 0;

  function startNext(): void {
    if (underWay >= loadsAtOnce) return;
    const next = waiting.shift();
    if (next === undefined) return;
    const { keys, found } = next;
    underWay += 1;
    const start = performance.now();
    load([...keys])
      .then(found.resolve, (error: unknown) => {
        found.reject(error);
        if (!isDatabaseUnresponsive(error, start)) return;
        for (const other of waiting.splice(0)) other.found.reject(error);
      })
      .finally(() => {
        underWay -= 1;
        startNext();
      });
  }

  return async (key) => {
    let next = waiting.at(-1);
    if (next === undefined || (next.keys.size >= mostKeys && !next.keys.has(key))) {
      next = { keys: new Set(), found: Promise.withResolvers() };
      waiting.push(next);
      // After the requests that this turn of the event loop has brought.
      setImmediate(startNext);
    }
    next.keys.add(key);
    return (await next.found.promise).get(key);
  };
}
