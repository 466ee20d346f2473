import { isDatabaseAway, isDatabaseUnresponsive } from './db/client.ts';

const largestGroup = 64;

/**
 * Makes one statement, and so one commit, out of many: items that arrive while a statement is under way wait
 * for the next one and share it, as do those of one turn of the event loop. Nothing is waited for beyond that turn.
 * @param run answers the results in the order of the items. Where it throws for several items, each is tried by
 * itself, so that one bad item does not fail its neighbours. Where Postgres is away, they fail together; where it
 * does not respond, those that wait fail too.
 */
export function batchWrite<Item, Result>(
  run: (items: readonly Item[]) => Promise<readonly Result[]>,
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item;
    answer: PromiseWithResolvers<Result>;
  }
  const waiting: Waiting[] = [];
  let running = false;

  /** @param behind which of its group come after it. */
  async function runGroup(group: readonly Waiting[], behind: Waiting[] = []): Promise<void> {
    const start = performance.now();
    try {
      const results = await run(group.map(({ item }) => item));
      for (const [index, { answer }] of group.entries()) answer.resolve(results[index] as Result);
    } catch (error) {
      if (group.length === 1 || isDatabaseAway(error)) {
        const unresponsive = isDatabaseUnresponsive(error, start);
        const failed = unresponsive ? [...group, ...behind.splice(0), ...waiting.splice(0)] : group;
        for (const { answer } of failed) answer.reject(error);
        return;
      }
      const rest = [...group];
      while (rest.length > 0) await runGroup(rest.splice(0, 1), rest);
    }
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) await runGroup(waiting.splice(0, largestGroup));
    running = false;
  }

  return (item) => {
    const answer = Promise.withResolvers<Result>();
    waiting.push({ item, answer });
    if (!running) {
      running = true;
      // After all that this turn of the event loop has brought.
      setImmediate(() => void flush());
    }
    return answer.promise;
  };
}
