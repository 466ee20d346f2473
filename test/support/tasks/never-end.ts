/** Runs for ever, and hears of nothing. */
export default function neverEnd(): never {
  for (;;);
}
