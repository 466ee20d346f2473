import { setTimeout as sleep } from 'node:timers/promises';

const dayMs = 86_400_000;

/** Waits for the next day (UTC) where this one ends within a minute: what a test then counts is of one day. */
export async function keepToOneDay(): Promise<void> {
  const leftMs = dayMs - (Date.now() % dayMs);
  if (leftMs < 60_000) await sleep(leftMs + 1_000);
}
