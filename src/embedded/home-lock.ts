import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { tryLockFile } from '../shared/file-lock.ts';
import type { Home } from './home.ts';
import { endProcess, findProcess, isRunning, type ProcessIdentity } from './processes.ts';

/** What the holder of a home tells others about itself. */
export interface Holder extends ProcessIdentity {
  readonly purpose: 'service' | 'command';
  /** The database, once it can be connected to. */
  readonly databaseUrl?: string | undefined;
  /** Where the service answers, once it is ready. */
  readonly address?: string | undefined;
  /** Processes of the service that must be gone before another one starts. */
  readonly children?: readonly ProcessIdentity[];
}

export interface HomeLock extends Disposable {
  /** What the holder before us may have left running when it was killed. */
  readonly leftovers: readonly ProcessIdentity[];
  announce(more: Partial<Pick<Holder, 'databaseUrl' | 'address' | 'children'>>): void;
}

/** Takes the home for this process, or returns undefined while another process has it. */
export function tryLockHome(home: Home, purpose: Holder['purpose']): HomeLock | undefined {
  const lock = tryLockFile(home.lockFile);
  if (!lock) return undefined;
  const self = findProcess(process.pid);
  if (!self) throw new Error('/proc is not mounted: Quarry needs it to know its own processes');
  // Until they are ended, what a crashed holder left running must stay on record: we may be killed too.
  const leftovers = readHolder(home)?.children ?? [];
  let holder: Holder = { ...self, purpose, children: leftovers };
  const write = (value: Holder | null): void => {
    const partial = `${home.holderFile}.partial`;
    writeFileSync(partial, JSON.stringify(value), { mode: 0o600 });
    renameSync(partial, home.holderFile);
  };
  write(holder);
  let isHeld = true;
  return {
    leftovers,
    announce: (more) => {
      holder = { ...holder, ...more };
      write(holder);
    },
    [Symbol.dispose]: () => {
      if (!isHeld) return;
      isHeld = false;
      write(null);
      lock[Symbol.dispose]();
    },
  };
}

/** Who has the home now; undefined also for the moment until a new holder has written it down. */
export function findHolder(home: Home): Holder | undefined {
  const holder = readHolder(home);
  return holder && isRunning(holder) ? holder : undefined;
}

/** What the last holder wrote, running or not; undefined when it ended in order. */
function readHolder(home: Home): Holder | undefined {
  try {
    return (JSON.parse(readFileSync(home.holderFile, 'utf8')) as Holder | null) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Ends what a killed holder left running: two workers or two Redis servers on one home would fight. */
export async function endLeftovers(lock: HomeLock): Promise<void> {
  await Promise.all(
    lock.leftovers.map(async (leftover) => {
      if (await endProcess(leftover, 'SIGTERM', 2_000)) return;
      await endProcess(leftover, 'SIGKILL', 2_000);
    }),
  );
  lock.announce({ children: [] });
}

/**
 * Calls `tryOnce` until it gives something or the time is over. `tryOnce` ends the wait early by throwing.
 */
export async function waitUntil<T>(
  tryOnce: () => T | undefined | Promise<T | undefined>,
  timeoutMs: number,
): Promise<T | undefined> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const found = await tryOnce();
    if (found !== undefined || performance.now() > deadline) return found;
    await sleep(50);
  }
}
