import type { Visit } from './visit.ts';

export type NamedVisit = readonly [url: string, visit: Visit];

/** Where the visits of a crawl outlive its worker. */
export interface VisitStore {
  load(): Promise<NamedVisit[]>;
  save(visits: readonly NamedVisit[]): Promise<void>;
}

/** A crawl's visits so far: a rerun finds them here and asks for the rest only. */
export interface Checkpoint extends AsyncDisposable {
  find(url: string): Visit | undefined;
  keep(url: string, visit: Visit): void;
}

const batchSize = 200;
const batchMs = 500;

/** @param onLost told when visits could not be stored: a rerun would ask for them again. */
export async function openCheckpoint(
  store: VisitStore,
  onLost: (error: unknown) => void,
): Promise<Checkpoint> {
  const known = new Map(await store.load());
  let batch: NamedVisit[] = [];
  let batchSince = Date.now();
  let saving: Promise<void> = Promise.resolve();

  function save(): void {
    const full = batch;
    batch = [];
    batchSince = Date.now();
    if (full.length > 0) saving = saving.then(() => store.save(full)).catch(onLost);
  }
  return {
    find: (url) => known.get(url),
    keep(url, visit) {
      batch.push([url, visit]);
      if (batch.length >= batchSize || Date.now() - batchSince > batchMs) save();
    },
    async [Symbol.asyncDispose]() {
      save();
      await saving;
    },
  };
}
