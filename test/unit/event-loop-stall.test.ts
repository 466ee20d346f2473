import { describe, expect, it } from 'vitest';
import { createStall, readRunDelayMs } from '../../src/workers/jobs/event-loop-stall.ts';

const secondsUntilOver = (boundSeconds: number, delays: () => number | null): number => {
  const stall = createStall(boundSeconds, delays);
  let seconds = 1;
  while (!stall.addSecond()) seconds += 1;
  return seconds;
};

describe('how long an event loop stands still', () => {
  it('is over at its bound where the thread has the processor, or waits for nothing that is in line', () => {
    expect(secondsUntilOver(10, () => 5_000)).toBe(10);
  });

  it('counts seconds in line for a processor by the rest of them', () => {
    let delayMs = 0;
    expect(secondsUntilOver(10, () => (delayMs += 750))).toBe(40);
  });

  it('leaves out a wait of several seconds, which is told when it is over', () => {
    let second = 0;
    expect(secondsUntilOver(10, () => Math.floor(second++ / 4) * 3_000)).toBeGreaterThan(30);
  });

  it('is over all the same on a machine that gives the thread next to nothing', () => {
    let delayMs = 0;
    expect(secondsUntilOver(10, () => (delayMs += 999))).toBe(60);
  });

  it('counts whole seconds where the system does not tell, and where it tells more than passed', () => {
    expect(secondsUntilOver(10, () => null)).toBe(10);
    let delayMs = 0;
    expect(secondsUntilOver(2, () => (delayMs += 30_000))).toBe(12);
  });

  it('begins anew when the loop has moved', () => {
    const stall = createStall(2, () => 0);
    expect(stall.addSecond()).toBe(false);
    stall.end();
    expect(stall.addSecond()).toBe(false);
    expect(stall.addSecond()).toBe(true);
  });

  it.runIf(process.platform === 'linux')('reads it of a process that runs, and null of none', () => {
    expect(readRunDelayMs(process.pid)).toBeGreaterThanOrEqual(0);
    expect(readRunDelayMs(2 ** 30)).toBeNull();
  });
});
