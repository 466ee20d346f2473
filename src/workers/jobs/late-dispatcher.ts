import type { Redis } from 'ioredis';
import type { Dispatcher } from '../../shared/jobs/dispatcher.ts';

/**
 * BullMQ is loaded, and connected, by the first dispatch: that takes a tenth of a second, and most jobs leave nothing
 * to be dispatched.
 */
export function createLateDispatcher(
  connect: () => Promise<Redis>,
): Pick<Dispatcher, 'dispatch'> & AsyncDisposable {
  let making: Promise<Dispatcher> | undefined;
  async function make(): Promise<Dispatcher> {
    const [{ createDispatcher }, redis] = await Promise.all([
      import('../../shared/jobs/dispatcher.ts'),
      connect(),
    ]);
    return createDispatcher(redis);
  }
  return {
    async dispatch(rows) {
      if (rows.length === 0) return;
      making ??= make();
      // The next one tries again.
      making.catch(() => (making = undefined));
      await (await making).dispatch(rows);
    },
    async [Symbol.asyncDispose]() {
      await (await making?.catch(() => undefined))?.[Symbol.asyncDispose]();
    },
  };
}
