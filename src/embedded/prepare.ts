import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { commonOptions } from './children.ts';
import type { FirstKey } from './first-key.ts';
import type { Home } from './home.ts';
import { StartError } from './start-error.ts';

export interface PrepareRequest {
  /** That of the API. */
  env: NodeJS.ProcessEnv;
  home: Home;
  ownsDatabase: boolean;
}

export interface Prepared {
  firstKey: FirstKey;
  logToStdout: boolean;
  /** That of the API without what only the API may know. */
  workerEnv: NodeJS.ProcessEnv;
}

export type PrepareReply =
  { kind: 'done'; prepared: Prepared } | { kind: 'failed'; isForPeople: boolean; message: string };

export interface Preparation extends Disposable {
  /**
   * Brings the database to the newest schema, checks the settings, and makes the first key.
   * @throws StartError where the message says what to mend.
   */
  run(request: PrepareRequest): Promise<Prepared>;
}

/** The process that prepares the start: it loads and compiles code while the stores start. */
export function startPreparation(env: NodeJS.ProcessEnv): Preparation {
  const child = fork(join(import.meta.dirname, 'prepare-main.ts'), [], {
    // Ctrl-C in the terminal reaches us alone.
    detached: true,
    execArgv: commonOptions,
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code, signal]): PrepareReply => {
    const message = `The preparation of the start ended with ${String(signal ?? code)}. Start again.`;
    return { kind: 'failed', isForPeople: true, message };
  });
  // It may end while nobody asks it yet.
  ended.catch(() => undefined);
  return {
    async run(request) {
      const answered = once(child, 'message').then(([reply]) => reply as PrepareReply);
      if (child.connected) child.send(request, () => undefined);
      const reply = await Promise.race([answered, ended]);
      if (reply.kind === 'done') return reply.prepared;
      throw reply.isForPeople ? new StartError(reply.message) : new Error(reply.message);
    },
    [Symbol.dispose]: () => void child.kill(),
  };
}
