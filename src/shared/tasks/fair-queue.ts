/** A queue whose owners take turns: each gets one of its entries out before any of them gets a second. */
export interface FairQueue<Entry> {
  push(owner: string, entry: Entry): void;
  /** Takes the next entry of the owner whose turn it is; undefined where nobody's may go. */
  take(mayGo: (owner: string) => boolean): Entry | undefined;
  /** @returns false where it is not here any more. */
  remove(owner: string, entry: Entry): boolean;
  sizeOf(owner: string): number;
  readonly size: number;
}

export function createFairQueue<Entry>(): FairQueue<Entry> {
  /** The owner whose turn is next stands first. */
  const waiting = new Map<string, Set<Entry>>();
  let size = 0;

  function drop(owner: string, entries: Set<Entry>, entry: Entry): void {
    entries.delete(entry);
    size--;
    if (entries.size === 0) waiting.delete(owner);
  }

  return {
    push(owner, entry) {
      const entries = waiting.get(owner) ?? new Set();
      waiting.set(owner, entries.add(entry));
      size++;
    },
    take(mayGo) {
      for (const [owner, entries] of waiting) {
        const [entry] = entries;
        if (entry === undefined || !mayGo(owner)) continue;
        drop(owner, entries, entry);
        // To the end of the queue.
        if (waiting.delete(owner)) waiting.set(owner, entries);
        return entry;
      }
      return undefined;
    },
    remove(owner, entry) {
      const entries = waiting.get(owner);
      if (entries?.has(entry) !== true) return false;
      drop(owner, entries, entry);
      return true;
    },
    sizeOf: (owner) => waiting.get(owner)?.size ?? 0,
    get size() {
      return size;
    },
  };
}
