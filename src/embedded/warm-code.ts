import { createHash } from 'node:crypto';
import { globSync, statSync, writeFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { onlyLoad } from '../shared/process.ts';
import { readKeptFile } from './kept-file.ts';

const sourceFolder = join(import.meta.dirname, '..');

/** What the API and the workers load when they start; all else is loaded by these. */
const loadedAtStart = [
  '{api,workers}/main.ts',
  '{api/handlers,api/presenters,shared/contracts}/*/*.ts',
  'workers/tools/*.ts',
  // It fails for want of something to watch, compiled all the same.
  'workers/jobs/watchdog-thread.ts',
];

/** Of the sources and the packages as they stand. */
function stampOf(): string {
  const sources = globSync('**/*.ts', { cwd: sourceFolder });
  const changed = [...sources, '../package-lock.json'].map(
    (file) => statSync(join(sourceFolder, file)).mtimeMs,
  );
  return `${process.version} ${changed.length} ${Math.max(...changed)}`;
}

/**
 * Loads the code of the API and the workers once, so that these find it compiled (NODE_COMPILE_CACHE): a process that
 * compiles all of its TypeScript itself keeps some 50 MB for it as long as it lives. Done in some milliseconds where
 * that has happened since the sources last changed.
 */
export async function warmCode(compileCache: string): Promise<void> {
  // Several installations may share a cache.
  const stampFile = join(
    compileCache,
    `warmed-${createHash('sha256').update(sourceFolder).digest('hex').slice(0, 16)}`,
  );
  const stamp = stampOf();
  if (readKeptFile(stampFile) === stamp) return;
  onlyLoad();
  for (const file of globSync(loadedAtStart, { cwd: sourceFolder })) {
    await import(join(sourceFolder, file)).catch(() => undefined);
  }
  flushCompileCache();
  writeFileSync(stampFile, stamp);
}
