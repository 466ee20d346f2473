/** Work on the event loop goes on no longer than this at a time. */
const atOnceMs = 8;

/** Those that have yielded, the longest first. One goes on in each turn of the event loop: however many crawls a process runs, others wait for one. */
const yielded: (() => void)[] = [];

function wakeNext(): void {
  yielded.shift()?.();
  if (yielded.length > 0) setImmediate(wakeNext);
}

async function untilMyTurn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (yielded.push(resolve) === 1) setImmediate(wakeNext);
  await promise;
}

/** Lets others have the event loop, in a loop over what a site has sent: `if (slice.isOver()) await slice.yieldToEventLoop()`. */
export function createTimeSlice(): { isOver(): boolean; yieldToEventLoop(): Promise<void> } {
  let since = performance.now();
  return {
    isOver: () => performance.now() - since > atOnceMs,
    async yieldToEventLoop() {
      await untilMyTurn();
      since = performance.now();
    },
  };
}
