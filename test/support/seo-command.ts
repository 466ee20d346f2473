import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';

const program = join(import.meta.dirname, '../../src/seo/main.ts');

export interface SeoCommand {
  child: ChildProcess;
  /** Its JSON; fails where the command ends otherwise, such as by a kill. */
  answer: Promise<Record<string, any>>;
}

/** Starts the program of `npm run seo`. */
export function startSeoCommand(env: Record<string, string>, ...args: string[]): SeoCommand {
  const child = spawn(process.execPath, [program, ...args, '--json'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const answer = Promise.all([text(child.stdout), text(child.stderr)]).then(([out, err]) => {
    if (out.trim() === '') throw new Error(`seo ${args.join(' ')} gave no answer: ${err}`);
    return JSON.parse(out) as Record<string, any>;
  });
  return { child, answer };
}

export async function runSeoCommand(
  env: Record<string, string>,
  ...args: string[]
): Promise<Record<string, any>> {
  return await startSeoCommand(env, ...args).answer;
}
