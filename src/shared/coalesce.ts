/**
 * Makes one visit out of many look-ups: those that arrive while a visit is under way wait for the next one and
 * share it. A look-up is always answered by a visit that began after it was asked, so it never sees what was
 * true only before.
 * @param load answers what it has found, by key.
 */
export function coalesce<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  interface Visit {
    keys: Set<string>;
    found: Promise<ReadonlyMap<string, Value>>;
  }
  let underWay: Promise<unknown> = Promise.resolve();
  let next: Visit | null = null;

  function plan(): Visit {
    const keys = new Set<string>();
    const found = underWay.then(() => {
      next = null;
      return load([...keys]);
    });
    underWay = found.catch(() => undefined);
    return { keys, found };
  }

  return async (key) => {
    next ??= plan();
    next.keys.add(key);
    return (await next.found).get(key);
  };
}
