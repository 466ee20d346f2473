/** A worker to be killed by a test: opens a page and tells its Chromium's process id, then waits for ever. */
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { createChromium } from '../../src/workers/browser/chromium.ts';

const dataFolder = process.argv[2];
if (!dataFolder) throw new Error('usage: browser-worker.ts <data folder>');
const chromium = createChromium({ dataFolder });
const lease = createEgressDoor({ allow: [] }).openLease();
await chromium.withPage({ lease }, async () => {
  process.stdout.write(`${chromium.describe()?.pid}\n`);
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});
