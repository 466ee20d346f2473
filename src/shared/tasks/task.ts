/**
 * What the task's module exports by default: a pure function of one value that can be cloned (`structuredClone`), whose
 * answer can be cloned too. An AppError that it throws reaches the caller as one.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- the payload's type is inferred from the function.
type TaskFunction = (payload: any) => unknown;

/** Work on foreign data that runs in a process of its own. */
export interface Task<Run extends TaskFunction> {
  readonly moduleUrl: string;
  /** Only for types. */
  readonly run?: Run;
}

export type PayloadOf<T> = T extends Task<infer Run> ? Parameters<Run>[0] : never;
export type ResultOf<T> = T extends Task<infer Run> ? Awaited<ReturnType<Run>> : never;

/**
 * Names a task by its module, which only the process that runs it loads.
 * @example const readPdfTask = defineTask<typeof readPdf>(new URL('./read-pdf.ts', import.meta.url));
 */
export function defineTask<Run extends TaskFunction>(moduleUrl: URL): Task<Run> {
  return { moduleUrl: moduleUrl.href };
}

export interface TaskOptions {
  /** Takes the task out of the queue, or ends the process that runs it. */
  signal: AbortSignal;
  /** Whose work it is: owners take turns, so that nobody waits for another's backlog. */
  owner: string;
  /** Milliseconds of a processor, from when it starts to run: on a busy machine it takes longer. Default 20,000. */
  timeoutMs?: number;
}

/** Runs tasks in processes that are ended past a bound of time or memory. */
export interface TaskPool extends AsyncDisposable {
  /**
   * Runs a task once more whose process somebody else has killed.
   * @throws AppError `target_too_large` for a task past its time or memory, or killed twice while it held much of that,
   * `overloaded` where too many wait, the machine is too busy or has killed a small one twice; what the task throws; the
   * reason of `signal`.
   */
  run<T extends Task<TaskFunction>>(
    task: T,
    payload: PayloadOf<T>,
    options: TaskOptions,
  ): Promise<ResultOf<T>>;
}
