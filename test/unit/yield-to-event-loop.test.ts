import { expect, test } from 'vitest';
import { createTimeSlice } from '../../src/workers/crawl/yield-to-event-loop.ts';

test('however many loops run, others wait for one of them at most', async () => {
  let isOver = false;
  const inTurn: number[] = [];
  let inThisTurn = 0;
  const turn = () => {
    inTurn.push(inThisTurn);
    inThisTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const loop = async () => {
    const slice = createTimeSlice();
    for (let n = 0; n < 20; n++) {
      await slice.yieldToEventLoop();
      inThisTurn++;
    }
  };
  await Promise.all(Array.from({ length: 10 }, loop));
  isOver = true;
  expect(inTurn.length).toBeGreaterThanOrEqual(200);
  expect(Math.max(...inTurn)).toBe(1);
});
