const largestGroup = 64;

/**
 * Makes one statement, and so one commit, out of many: items that arrive while a statement is under way wait
 * for the next one and share it. Alone, an item waits for nobody.
 * @param run answers the results in the order of the items. Where it throws for several items, each is tried by
 * itself, so that one bad item does not fail its neighbours.
 */
export function groupCommit<Item, Result>(
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
