import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '../../src/embedded/processes.ts';

const answersWithinMs = 10_000;
const program = join(import.meta.dirname, 'heap-probe.ts');

export interface HeapProbe {
  /** What the service is started with. */
  env: Record<string, string>;
  /** What each of its processes tells, as JSON. All garbage is collected on the way. */
  read(): Promise<unknown[]>;
  close(): Promise<void>;
}

export async function createHeapProbe(): Promise<HeapProbe> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-heaps-'));

  async function ask(file: string): Promise<unknown[]> {
    const path = join(folder, file);
    const [pid, startTicks = ''] = file.replace('.json', '').split('-');
    const asked = { pid: Number(pid), startTicks };
    await writeFile(path, '');
    if (!isRunning(asked)) {
      await rm(path, { force: true }); // It was killed.
      return [];
    }
    process.kill(asked.pid, 'SIGUSR2');
    for (const start = performance.now(); performance.now() - start < answersWithinMs; await sleep(100)) {
      // It is gone where its process has ended meanwhile.
      const text = await readFile(path, 'utf8').catch(() => null);
      if (text === null) break;
      if (text.endsWith('}')) return [JSON.parse(text)];
    }
    return [];
  }

  return {
    env: { HEAP_PROBE: folder, NODE_OPTIONS: `--import=${program}` },
    async read() {
      const files = (await readdir(folder)).filter((name) => name.endsWith('.json'));
      return (await Promise.all(files.map(ask))).flat();
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}
