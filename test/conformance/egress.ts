import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { signed } from '../support/egress-origin.ts';
import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { EgressError } from '../../src/shared/egress/egress-error.ts';
import { parseAllowList } from '../../src/shared/egress/allow-list.ts';
import { createTargetPolicy } from '../../src/shared/egress/policy.ts';
import { checkTargetText } from '../../src/shared/egress/target-url.ts';

export interface CaseResult {
  id: string;
  ok: boolean;
  expected: string;
  got: string;
}

export interface EgressCase {
  id: string;
  expect: 'allow' | 'deny';
  reason: string;
  canonicalHost?: string;
  input:
    | { kind: 'url'; url: string }
    | { kind: 'dns'; host: string; answers: (string[] | 'timeout')[] }
    | { kind: 'redirect'; steps: string[] }
    | { kind: 'raw'; raw: string }
    | { kind: 'page'; vector: string }
    | { kind: 'surface'; surface: string }
    | { kind: 'media'; tool: string; vector: string };
}

const publicAddress = '93.184.215.14';
const ownAddress = '203.0.114.9';
const dnsLimitMs = 5_500;

/** Runs every case of kind url, dns, redirect and raw against the real door, in parallel. */
export async function runEgressCases(cases: readonly EgressCase[]): Promise<CaseResult[]> {
  const results = await Promise.all(cases.map(runCase));
  return results.filter((result) => result !== null);
}

/** The cases of every kind. */
export async function readEgressCases(sharedFolder: string): Promise<EgressCase[]> {
  const text = await readFile(join(sharedFolder, 'cases/egress-cases.json'), 'utf8');
  return (JSON.parse(text) as { cases: EgressCase[] }).cases;
}

async function runCase(given: EgressCase): Promise<CaseResult | null> {
  const run = runnerOf(given);
  if (!run) return null;
  const got = await run().catch((error: unknown) => `failed: ${String(error)}`);
  const expected = given.expect === 'allow' ? 'ok' : given.reason;
  const host =
    given.input.kind === 'url' && given.canonicalHost !== undefined ? ` ${given.canonicalHost}` : '';
  return { id: given.id, ok: got === expected + host, expected: expected + host, got };
}

function runnerOf({ input, canonicalHost }: EgressCase): (() => Promise<string>) | null {
  switch (input.kind) {
    case 'url':
      return async () => checkUrl(input.url, canonicalHost !== undefined);
    case 'dns':
      return () => resolveAndDial(input.host, input.answers);
    case 'redirect':
      return () => follow(input.steps);
    case 'raw':
      return () => sendRaw(input.raw);
    default:
      return null;
  }
}

function checkUrl(url: string, withHost: boolean): string {
  const policy = createTargetPolicy(parseAllowList([]), []);
  const checked = checkTargetText(url, policy);
  const reason = checked.error ? checked.error.reason : 'ok';
  return withHost ? `${reason} ${checked.host}` : String(reason);
}

/** Nothing leaves the machine: where the door would connect to the checked address, a loopback server stands in. */
async function resolveAndDial(host: string, answers: (string[] | 'timeout')[]): Promise<string> {
  let queries = 0;
  const dialled: string[] = [];
  await using origin = await listen(createServer((_request, response) => response.end('page')));
  await using door = createEgressDoor({
    allow: [],
    ownAddresses: [ownAddress],
    openTcp: (address) => {
      dialled.push(address);
      return connect(origin.port, '127.0.0.1');
    },
    resolve: async (name) => {
      if (name !== host) return [publicAddress];
      const answer = answers[Math.min(queries++, answers.length - 1)] ?? [];
      if (answer === 'timeout') return new Promise<string[]>(() => undefined);
      // A resolver follows aliases itself; what it hands on are the addresses at their end.
      return answer
        .filter((text) => !text.startsWith('CNAME:'))
        .map((text) => (text === '<own public address>' ? ownAddress : text));
    },
  });
  await using lease = door.openLease();
  const startedAt = performance.now();
  const isSilent = answers[0] === 'timeout';
  const refused = failureOf(lease.fetch({ url: `http://${host}/` }));
  if (isSilent) await lease.fetch({ url: 'http://other.test-dns/' });
  const othersMs = performance.now() - startedAt;
  const failure = await refused;
  if (performance.now() - startedAt > dnsLimitMs) return 'too slow';
  if (isSilent && othersMs > 2_500) return 'another name was delayed';
  if (queries !== 1) return `${queries} queries`;
  if (failure) return failure.reason ?? failure.result;
  return dialled.join() === String(answers[0]) ? 'ok' : `dialled ${dialled.join()}`;
}

/** The origin listens on a free port, which is added to each `Location` that names it. */
async function follow(steps: string[]): Promise<string> {
  let served = 0;
  await using origin = await listen(
    createServer((_request, response) => {
      const [status = '', location = ''] = (steps[served++] ?? '200').split(' ');
      const here = location.replace(/ok\.test-dns(?=\/)/, `ok.test-dns:${origin.port}`);
      response.writeHead(Number(status), here === '' ? {} : { location: here }).end('page');
    }),
  );
  await using door = createEgressDoor({
    allow: [`127.0.0.1:${origin.port}`],
    resolve: async () => ['127.0.0.1'],
  });
  await using lease = door.openLease();
  const failure = await failureOf(lease.fetch({ url: `http://ok.test-dns:${origin.port}/` }));
  if (failure?.reason === 'redirects' && served !== 21) return `gave up after ${served} requests`;
  return failure?.reason ?? 'ok';
}

/** Sends the case's bytes to a lease's proxy. A canary stands where every allowed request would end. */
async function sendRaw(raw: string): Promise<string> {
  let reached = 0;
  await using canary = await listen(createTcpServer((socket) => void (reached++, socket.destroy())));
  await using door = createEgressDoor({
    allow: [`127.0.0.1:${canary.port}`],
    resolve: async () => ['127.0.0.1'],
  });
  const lease = door.openLease();
  const proxy = await lease.openProxy();
  const { port } = proxy;
  const isClosedLease = raw.startsWith('request without a job lease');
  if (isClosedLease) await lease[Symbol.asyncDispose]();
  const answer = await talk(
    port,
    signed(proxy, rawBytes(raw, port, canary.port)),
    raw.startsWith('one byte per second'),
  );
  await lease[Symbol.asyncDispose]();
  if (reached > 0) return 'the target was reached';
  if (isClosedLease) return answer === 'ECONNREFUSED' ? 'protocol' : answer;
  return /^x-egress-refused: (\w+)\r$/im.exec(answer)?.[1] ?? `no refusal: ${answer.slice(0, 80)}`;
}

function rawBytes(raw: string, doorPort: number, canaryPort: number): string {
  const target = `http://example.com:${canaryPort}/`;
  const host = `Host: example.com:${canaryPort}\r\n`;
  if (raw.includes('Content-Length and Transfer-Encoding')) {
    return `POST ${target} HTTP/1.1\r\n${host}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
  }
  if (raw.includes('bare LF'))
    return `GET ${target} HTTP/1.1\r\n${host}X-Header: value\nX-Other: value\r\n\r\n`;
  if (raw.includes('Upgrade: websocket')) {
    return `GET ${target} HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
  }
  if (raw.startsWith('one byte per second'))
    return `GET ${target} HTTP/1.1\r\n${host}X-Slow: ${'a'.repeat(100)}`;
  if (raw.includes('own-door-address')) return `CONNECT 127.0.0.1:${doorPort} HTTP/1.1\r\nHost: x\r\n\r\n`;
  if (raw.startsWith('request without')) return `GET ${target} HTTP/1.1\r\n${host}\r\n`;
  if (/^[A-Z]+ \S+ HTTP\/1\.1$/.test(raw)) return `${raw}\r\nHost: example.com\r\n\r\n`;
  throw new Error(`This raw case is not understood: ${raw}`);
}

async function talk(port: number, bytes: string, isSlow: boolean): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  const closed = Promise.withResolvers<string>();
  socket.once('error', (error: NodeJS.ErrnoException) => closed.resolve(answer || String(error.code)));
  socket.once('close', () => closed.resolve(answer));
  // A refusal on a connection that may be used again does not close it.
  socket.on('data', () => void (/\r\n\r\n/.test(answer) && closed.resolve(answer)));
  let sent = 0;
  const drip = isSlow ? setInterval(() => socket.write(bytes[sent++] ?? 'a'), 1_000) : null;
  if (!isSlow) socket.write(bytes);
  const late = setTimeout(() => closed.resolve('no answer'), 12_500);
  try {
    return await closed.promise;
  } finally {
    if (drip) clearInterval(drip);
    clearTimeout(late);
    socket.destroy();
  }
}

async function failureOf(promise: Promise<unknown>): Promise<EgressError | null> {
  try {
    await promise;
    return null;
  } catch (error) {
    if (error instanceof EgressError) return error;
    throw error;
  }
}

async function listen<S extends Server | ReturnType<typeof createTcpServer>>(
  server: S,
): Promise<AsyncDisposable & { port: number }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
