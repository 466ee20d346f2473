import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

export interface LargeSiteProcess extends AsyncDisposable {
  origin: string;
  /** Path and query of each request since the last call, in no order. */
  takeRequests(): Promise<string[]>;
}

/** @param answerMs how long the site takes for each answer. */
export async function startLargeSiteProcess(pages: number, answerMs = 0): Promise<LargeSiteProcess> {
  const child = fork(join(import.meta.dirname, 'large-site-main.ts'), [String(pages), String(answerMs)]);
  const [{ origin }] = (await once(child, 'message')) as [{ origin: string }];
  return {
    origin,
    async takeRequests() {
      child.send('take');
      const [{ requests }] = (await once(child, 'message')) as [{ requests: string[] }];
      return requests;
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit');
      child.disconnect();
      await exited;
    },
  };
}
