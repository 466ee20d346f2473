/**
 * Opens the page of each vector in a real Chromium behind a real door, and counts what arrives where nothing may.
 * Reads `{ vectors, linkLocal, device }` as its argument; prints one JSON line. Run by egress-page.ts, in a
 * network namespace of its own where the machine permits.
 */
import { createSocket } from 'node:dgram';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { createChromium } from '../../src/workers/browser/chromium.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { testDataFolder } from '../support/browser.ts';
import { startRawOrigin } from '../support/egress-origin.ts';
import { startSite } from '../support/site.ts';

const { vectors, linkLocal, device } = JSON.parse(process.argv[2] ?? '{}') as {
  vectors: string[];
  linkLocal: string | null;
  device: string | null;
};

const site = await startSite();
const loopback = await startRawOrigin((socket) => socket.destroy());
let linkLocalConnections = 0;
if (linkLocal !== null) {
  const { createServer } = await import('node:net');
  const server = createServer((socket) => void (linkLocalConnections++, socket.destroy()));
  await new Promise<void>((resolve) => server.listen(80, linkLocal, resolve));
}
let datagrams = 0;
const udp = createSocket('udp4', () => datagrams++);
await new Promise<void>((resolve) => udp.bind(0, '127.0.0.1', resolve));

const canaries = {
  loopback: loopback.url.slice(0, -1),
  linkLocal: `http://${linkLocal ?? '169.254.169.254'}`,
  udpPort: udp.address().port,
};
/** Names lead nowhere, so that a packet to a name server is Chromium's own. */
const door = createEgressDoor({ allow: [`127.0.0.1:${site.port}`], resolve: async () => [] });
const chromium = createChromium({ dataFolder: testDataFolder });
await chromium.warmUp();

const control = device === null ? null : await countControlPacket();
const results: Record<string, string> = {};
for (const vector of vectors) results[vector] = await tryVector(vector);
process.stdout.write(
  `${JSON.stringify({ results, countsPackets: control !== null && control > 0, packets: readPackets() })}\n`,
);
await chromium[Symbol.asyncDispose]();
process.exit(0);

async function tryVector(vector: string): Promise<string> {
  const before = [loopback.connections, linkLocalConnections, datagrams, readPackets()];
  await using lease = door.openLease();
  const query = new URLSearchParams({ of: vector, canaries: JSON.stringify(canaries) });
  // A service worker needs a trustworthy origin, which loopback is.
  const text = await chromium.withPage({ lease }, async (page) => {
    await loadPage(page, {
      url: `${site.origin}/vector?${query}`,
      waitFor: '900',
      timeoutMs: 10_000,
      lease,
    }).catch(() => {});
    const texts = await Promise.all(page.frames().map((frame) => frame.content().catch(() => '')));
    return `${page.url()} ${texts.join(' ')}`;
  });
  const after = [loopback.connections, linkLocalConnections, datagrams, readPackets()];
  const names = ['connections to loopback', 'connections to link-local', 'datagrams', 'packets'];
  const reached = names.map((name, index) => `${(after[index] ?? 0) - (before[index] ?? 0)} ${name}`);
  if (reached.some((one) => !one.startsWith('0 '))) return reached.join(', ');
  if (/root:.*:0:0:|^file:/.test(text)) return 'a local file was shown';
  const others = lease.outcomes.find(({ result, reason }) => result === 'refused' && reason !== 'address');
  return others ? `refused for ${others.reason}` : 'address';
}

/** Packets that left by the namespace's only way out. */
function readPackets(): number {
  if (device === null) return 0;
  const line = readFileSync('/proc/net/dev', 'utf8')
    .split('\n')
    .find((one) => one.trim().startsWith(`${device}:`));
  return Number(line?.split(':')[1]?.trim().split(/\s+/)[9] ?? 0);
}

/** Shows that a packet would be counted. */
async function countControlPacket(): Promise<number> {
  const before = readPackets();
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.send('control', 9, '203.0.113.1', () => resolve()));
  await sleep(200);
  socket.close();
  return readPackets() - before;
}
