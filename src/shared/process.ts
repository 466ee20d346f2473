import { flushCompileCache } from 'node:module';
import { collectWhenIdle } from './collect-when-idle.ts';
import { ConfigError } from './config.ts';
import { setV8Options } from './v8-options.ts';

const stopWithinMs = 20_000;

let isOnlyLoaded = false;

/** From here on programs that are imported start nothing: only their code is wanted. */
export function onlyLoad(): void {
  isOnlyLoaded = true;
}

/**
 * The life of an API or worker process: starts it, tells the supervisor that it is ready, and disposes of
 * everything in reverse order on SIGTERM, on SIGINT where nobody supervises, and when the supervisor is gone.
 */
export async function runProcess(
  start: (lifetime: AsyncDisposableStack) => Promise<Record<string, unknown>>,
): Promise<void> {
  if (isOnlyLoaded) return;
  setV8Options();
  const lifetime = new AsyncDisposableStack();
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    lifetime.disposeAsync().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  // Under a supervisor Ctrl-C reaches the whole group, and the supervisor stops us in order.
  process.on('SIGINT', () => {
    if (process.send === undefined) stop();
  });
  process.on('disconnect', stop);
  try {
    const ready = await start(lifetime);
    lifetime.use(collectWhenIdle());
    process.send?.({ type: 'ready', ...ready });
    // One that is killed later has not kept it. Does nothing unless NODE_COMPILE_CACHE is set.
    flushCompileCache();
  } catch (error) {
    console.error(error instanceof ConfigError ? error.message : error);
    await lifetime.disposeAsync().catch(() => undefined);
    process.exit(1);
  }
}
