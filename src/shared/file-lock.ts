import { closeSync, openSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Referred to until given back: collected as garbage, the database would close and the lock with it. */
const held = new Set<DatabaseSync>();

/**
 * Takes the file, which is made where it is missing, for this process. Returns undefined while another has it.
 *
 * Node has no flock; SQLite's exclusive transaction is a kernel lock on the (always empty) file, which the
 * kernel itself gives back when the process dies in whatever way, and which holds between namespaces of process ids. So
 * there is no stale lock to reason about.
 */
export function tryLockFile(path: string): Disposable | undefined {
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (/locked/.test((error as Error).message)) return undefined;
    throw error;
  }
  held.add(database);
  return {
    [Symbol.dispose]: () => {
      if (held.delete(database)) database.close();
    },
  };
}
