import type { Visit } from './visit.ts';

export type NamedVisit = readonly [url: string, visit: Visit];

/** Where the visits of a crawl outlive its worker. */
export interface VisitStore {
  /** In the pieces in which they were saved. */
  load(): AsyncIterable<readonly NamedVisit[]>;
  /** @param json the same visits. */
  save(visits: readonly Visit[], json: string): Promise<void>;
}

/** A crawl's visits so far: a rerun finds them here and asks for the rest only. */
export interface Checkpoint extends AsyncDisposable {
  find(url: string): Visit | undefined;
  /** Waits, now and then, for what was kept before to be stored: so no more is gathered than the store can take. */
  keep(url: string, visit: Visit): Promise<void>;
}

const batchSize = 200;
const batchCharacters = 500_000;
const batchMs = 500;

/**
 * @param held what of a stored visit is held.
 * @param onLost told when visits could not be stored: a rerun would ask for them again.
 */
export async function openCheckpoint(
  store: VisitStore,
  held: (visit: Visit) => Visit,
  onLost: (error: unknown) => void,
): Promise<Checkpoint> {
  const known = new Map<string, Visit>();
  for await (const visits of store.load()) for (const [url, visit] of visits) known.set(url, held(visit));
  let visits: Visit[] = [];
  let texts: string[] = [];
  let characters = 0;
  let batchSince = performance.now();
  let saving: Promise<void> = Promise.resolve();

  function save(): Promise<void> {
    const [batch, json] = [visits, `[${texts.join(',')}]`];
    [visits, texts, characters, batchSince] = [[], [], 0, performance.now()];
    if (batch.length > 0) saving = saving.then(() => store.save(batch, json)).catch(onLost);
    return saving;
  }
  return {
    find: (url) => known.get(url),
    async keep(url, visit) {
      const text = JSON.stringify([url, visit] satisfies NamedVisit);
      visits.push(visit);
      texts.push(text);
      characters += text.length;
      const isFull = visits.length >= batchSize || characters >= batchCharacters;
      if (isFull || performance.now() - batchSince > batchMs) await save();
    },
    async [Symbol.asyncDispose]() {
      await save();
    },
  };
}
