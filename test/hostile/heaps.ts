import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

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
    await writeFile(path, '');
    try {
      process.kill(Number.parseInt(file, 10), 'SIGUSR2');
    } catch {
      await rm(path); // It has ended.
      return [];
    }
    for (const start = performance.now(); performance.now() - start < answersWithinMs; await sleep(100)) {
      const text = await readFile(path, 'utf8');
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
