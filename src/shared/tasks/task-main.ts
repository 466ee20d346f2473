/** The program of a task's process (see task-process.ts): answers one request after the other. */
import { Worker } from 'node:worker_threads';
import { AppError, toStoredError } from '../errors.ts';
import { isExhaustion } from './exhaustion.ts';
import type { TaskReply, TaskRequest } from './messages.ts';

const reply = (message: TaskReply) => void process.send?.(message);

function describe(error: unknown): TaskReply {
  if (error instanceof AppError) return { kind: 'refused', error: toStoredError(error) };
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  if (isExhaustion(error)) return { kind: 'exhausted', message };
  return { kind: 'failed', name, message, stack };
}

async function answer({ moduleUrl, payload }: TaskRequest): Promise<void> {
  try {
    const { default: run } = (await import(moduleUrl)) as { default: (payload: unknown) => unknown };
    reply({ kind: 'result', value: await run(payload) });
  } catch (error) {
    reply(describe(error));
  }
}

// What ends a whole control group reaches it too; the worker decides when its tasks end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (request: TaskRequest) => void answer(request));
new Worker(new URL('./orphan-watch.ts', import.meta.url), { workerData: process.ppid }).unref();
reply({ kind: 'ready' });
