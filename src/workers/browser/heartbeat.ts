import type { LaunchedChromium } from './launched-chromium.ts';

/**
 * Beats without an answer after which a Chromium counts as stuck. Counted, not timed: when this process itself was
 * held up, the answer is read before the next beat.
 */
const missedBeats = 5;

/** Asks Chromium now and then whether it is there, and calls `onStuck` once it has not answered for `withinMs`. */
export function watchHeartbeat(
  { session }: LaunchedChromium,
  withinMs: number,
  onStuck: () => void,
): Disposable {
  let missed = 0;
  let isAsked = false;
  const timer = setInterval(() => {
    if (isAsked) missed++;
    if (missed >= missedBeats) {
      clearInterval(timer);
      onStuck();
    }
    if (isAsked) return;
    isAsked = true;
    session.send('Browser.getVersion').then(
      () => {
        isAsked = false;
        missed = 0;
      },
      // It has ended, which is heard of otherwise.
      () => clearInterval(timer),
    );
  }, withinMs / missedBeats).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
