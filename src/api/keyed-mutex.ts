/**
 * Lets work of one name be done one after the other, in the order of its arrival.
 * @returns what the work returns; what it throws is nothing to those behind it.
 */
export function createKeyedMutex(): <T>(name: string, work: () => Promise<T>) => Promise<T> {
  const ends = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const turn = (ends.get(name) ?? Promise.resolve()).then(work);
    const end = turn.catch(() => undefined);
    ends.set(name, end);
    try {
      return await turn;
    } finally {
      if (ends.get(name) === end) ends.delete(name);
    }
  };
}
