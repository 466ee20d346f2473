import { expect, test } from 'vitest';
import { held, runChaos } from '../chaos/run.ts';

test('fifteen seconds of kills, wiped data and restarts: every promise comes true, once', async () => {
  const report = await runChaos(7, 15);
  expect(report.promised).toBeGreaterThan(50);
  expect(Object.keys(report.faults).length).toBeGreaterThan(1);
  expect(held(report), JSON.stringify(report)).toBe(true);
}, 150_000);
