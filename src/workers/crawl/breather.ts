import { setImmediate } from 'node:timers/promises';

/** Work on the event loop goes on no longer than this at a time. */
const atOnceMs = 8;

/** Lets others have the event loop, in a loop over what a site has sent: `if (breather.isDue()) await breather.rest()`. */
export function createBreather(): { isDue(): boolean; rest(): Promise<void> } {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > atOnceMs,
    async rest() {
      await setImmediate();
      since = performance.now();
    },
  };
}
