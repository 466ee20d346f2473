import { appendFileSync, readFileSync } from 'node:fs';

/** Holds bytes for ever, so many each time that it is run, and writes its process into a file, a line each time. */
export default async function holdMemory({ file, bytes }: { file: string; bytes: number[] }): Promise<never> {
  appendFileSync(file, '');
  const run = readFileSync(file, 'utf8').split('\n').length - 1;
  const held = Buffer.alloc(bytes[run] ?? 0, 1);
  appendFileSync(file, `${process.pid}\n`);
  setInterval(() => held[0], 1_000);
  return await new Promise<never>(() => undefined);
}
