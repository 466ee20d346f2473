/**
 * Loaded into each process of a measured service (`--import`): on SIGUSR2 it tells what it holds, and what is left of
 * that once all garbage is collected, in a file of its own in the folder that HEAP_PROBE names.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findProcess } from '../../src/embedded/processes.ts';
import { collectGarbage } from '../../src/shared/garbage.ts';

const folder = process.env['HEAP_PROBE'];
const megabytes = (bytes: number) => Math.round(bytes / 1024 ** 2);

function tellHeld() {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage();
  return {
    rss: megabytes(rss),
    heapTotal: megabytes(heapTotal),
    heapUsed: megabytes(heapUsed),
    external: megabytes(external),
    arrayBuffers: megabytes(arrayBuffers),
  };
}

if (folder !== undefined) {
  // Its number alone may be another's by the time that it is asked.
  const file = join(folder, `${process.pid}-${findProcess(process.pid)?.startTicks}.json`);
  const name = process.argv
    .slice(1)
    .join(' ')
    .replace(/^.*\/src\//, '');
  writeFileSync(file, '');
  process.on('exit', () => rmSync(file, { force: true }));
  process.on('SIGUSR2', () => {
    const before = tellHeld();
    const start = performance.now();
    collectGarbage({ type: 'major', flavor: 'last-resort' });
    const collectMs = Math.round(performance.now() - start);
    const after = tellHeld();
    writeFileSync(file, JSON.stringify({ name, before, after, collectMs }));
  });
}
