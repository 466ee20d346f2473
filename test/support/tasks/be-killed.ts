import { appendFileSync, readFileSync } from 'node:fs';

/** Has its process killed so many times, which it counts in a file; then it answers how often it was run. */
export default function beKilled({ file, times }: { file: string; times: number }): number {
  appendFileSync(file, '.');
  const runs = readFileSync(file).length;
  if (runs > times) return runs;
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}
