/** One under way, and one that gathers its answer while the other's is waited for. */
const visitsAtOnce = 2;

interface Visit<Value> {
  keys: Set<string>;
  found: PromiseWithResolvers<ReadonlyMap<string, Value>>;
}

/**
 * Makes one visit out of many look-ups: those that arrive together, or while enough visits are under way, share
 * the next one. A look-up is always answered by a visit that began after it was asked, so it never sees what was
 * true only before.
 * @param load answers what it has found, by key.
 */
export function coalesce<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let next: Visit<Value> | null = null;
  let underWay = 0;

  function startNext(): void {
    if (next === null || underWay >= visitsAtOnce) return;
    const { keys, found } = next;
    next = null;
    underWay += 1;
    load([...keys])
      .then(found.resolve, found.reject)
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

const largestGroup = 64;

/**
 * Makes one statement, and so one commit, out of many: items that arrive while a statement is under way wait
 * for the next one and share it. Alone, an item waits for nobody.
 * @param run answers the results in the order of the items. Where it throws for several items, each is tried by
 * itself, so that one bad item does not fail its neighbours.
 */
export function group<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item;
    answer: PromiseWithResolvers<Result>;
  }
  const waiting: Waiting[] = [];
  let running = false;

  async function runOnly({ item, answer }: Waiting): Promise<void> {
    try {
      const [result] = await run([item]);
      answer.resolve(result as Result);
    } catch (error) {
      answer.reject(error);
    }
  }

  async function runAll(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map(({ item }) => item));
      for (const [index, { answer }] of batch.entries()) answer.resolve(results[index] as Result);
    } catch {
      for (const one of batch) await runOnly(one);
    }
  }

  async function drain(): Promise<void> {
    running = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, largestGroup);
      const [first] = batch;
      if (batch.length === 1 && first !== undefined) await runOnly(first);
      else await runAll(batch);
    }
    running = false;
  }

  return (item) => {
    const answer = Promise.withResolvers<Result>();
    waiting.push({ item, answer });
    if (!running) {
      running = true;
      // What arrives in the same tick goes along.
      queueMicrotask(() => void drain());
    }
    return answer.promise;
  };
}
