/** Work on the event loop goes on no longer than this at a time. */
const atOnceMs = 8;

/** Those that rest, the longest first. One goes on in each turn of the event loop: however many crawls a process runs, others wait for one. */
const resting: (() => void)[] = [];

function wakeNext(): void {
  resting.shift()?.();
  if (resting.length > 0) setImmediate(wakeNext);
}

async function untilMyTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (resting.push(resolve) === 1) setImmediate(wakeNext);
  await promise;
}

/** Lets others have the event loop, in a loop over what a site has sent: `if (breather.isDue()) await breather.rest()`. */
export function createBreather(): { isDue(): boolean; rest(): Promise<void> } {
  let since = performance.now();
  return {
    isDue: () => performance.now() - since > atOnceMs,
    async rest() {
      await untilMyTurn();
      since = performance.now();
    },
  };
}
