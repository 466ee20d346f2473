const stops: (() => Promise<void>)[] = [];
let isListening = false;

/**
 * A measurement that is interrupted ends what it has started; a test runner does that itself.
 * @param stop is also called where it is under way, or done.
 */
export function stopWithUs(stop: () => Promise<void>): void {
  stops.push(stop);
  if (isListening || 'VITEST' in process.env) return;
  isListening = true;
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    // It comes more than once: from the terminal, and from `with-node.mjs`, which passes it on.
    process.on(signal, async () => {
      await Promise.allSettled(stops.map((one) => one()));
      process.exit(code);
    });
  }
}
