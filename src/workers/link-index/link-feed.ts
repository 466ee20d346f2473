import type { Logger } from 'pino';
import type { Db } from '../../shared/db/client.ts';
import { recordSeen } from '../../shared/db/link-index.ts';
import type { Seen } from './seen-links.ts';

/**
 * Tells the link index of pages that are read one at a time. Nobody waits for it: what a process has not written when
 * it dies is lost, and past a bound pages are left out, so that the index never slows what it is fed by.
 */
export interface LinkFeed extends AsyncDisposable {
  /** False: the page's links need not be read, because nothing feeds the index, or it was told of them lately. */
  wants(url: string): boolean;
  add(url: string, seen: Seen): void;
}

const writeEveryMs = 1_000;
/** Pages and links that wait or are being written. */
const atMost = 5_000;
const againAfterMs = 3_600_000;
const rememberedPages = 50_000;

export function createLinkFeed({ db, log, isOn }: { db: Db; log: Logger; isOn: boolean }): LinkFeed {
  const toldAt = new Map<string, number>();
  let waiting: Seen[] = [];
  let held = 0;
  let timer: NodeJS.Timeout | null = null;
  let writing = Promise.resolve();

  async function record(seen: readonly Seen[]): Promise<void> {
    const pages = seen.map(({ page }) => page);
    const links = seen.flatMap((one) => one.links);
    await recordSeen(db, { pages, links }).catch((error: unknown) =>
      log.warn({ err: error }, 'pages did not reach the link index'),
    );
    held -= pages.length + links.length;
  }
  function write(): void {
    timer = null;
    const seen = waiting;
    waiting = [];
    if (seen.length > 0) writing = writing.then(() => record(seen));
  }
  return {
    wants: (url) =>
      isOn && held < atMost && performance.now() - (toldAt.get(url) ?? -Infinity) >= againAfterMs,
    add(url, seen) {
      if (toldAt.size >= rememberedPages) toldAt.clear();
      toldAt.set(url, performance.now());
      waiting.push(seen);
      held += 1 + seen.links.length;
      timer ??= setTimeout(write, writeEveryMs);
    },
    async [Symbol.asyncDispose]() {
      if (timer !== null) clearTimeout(timer);
      write();
      await writing;
    },
  };
}
