import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { readChildEnvironment } from '../../shared/child-environment.ts';
import type { Db } from '../../shared/db/client.ts';
import { listSeoDatasets } from '../../shared/db/seo-datasets.ts';

export interface AuthorityTimerOptions {
  db: Db;
  databaseUrl: string;
  log: Logger;
  /** How old the ranks may become. */
  everyMs: number;
}

const checkEveryMs = 10 * 60_000;
const program = join(import.meta.dirname, '../../seo/authority-main.ts');
/** Text and numbers of some ten million domains. */
const heapMegabytes = 4_096;

/**
 * Ranks the domains of the link index anew when the last ranks are old: in a process of its own, and by one worker
 * at a time (the program takes a lock in the database).
 */
export function startAuthorityTimer({
  db,
  databaseUrl,
  log,
  everyMs,
}: AuthorityTimerOptions): AsyncDisposable {
  let running: Promise<void> | null = null;
  const stop = new AbortController();

  async function isDue(): Promise<boolean> {
    const [last] = await listSeoDatasets(db, 'link-index');
    if (last !== undefined && Date.now() - Date.parse(last.name) < everyMs) return false;
    const link = await db.selectFrom('link_index_links').select('to_domain').limit(1).executeTakeFirst();
    return link !== undefined;
  }
  async function compute(): Promise<void> {
    if (!(await isDue())) return;
    const child = fork(program, [String(everyMs)], {
      env: { ...readChildEnvironment(), DATABASE_URL: databaseUrl },
      execArgv: [`--max-old-space-size=${heapMegabytes}`],
      signal: stop.signal,
    });
    let result: unknown;
    child.on('message', (message) => (result = message));
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`It ended with ${code}`);
    log.info({ result }, 'domains ranked');
  }
  function start(): void {
    running ??= compute()
      .catch((error: unknown) => {
        if (!stop.signal.aborted) log.warn({ err: error }, 'the domains were not ranked');
      })
      .finally(() => (running = null));
  }
  const timer = setInterval(start, checkEveryMs);
  start();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      stop.abort();
      await running;
    },
  };
}
