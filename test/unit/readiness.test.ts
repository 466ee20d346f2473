import { createServer } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SupervisedChild } from '../../src/embedded/children.ts';
import type { Home } from '../../src/embedded/home.ts';
import { untilReady } from '../../src/embedded/readiness.ts';
import { StartError } from '../../src/embedded/start-error.ts';
import { listen, type Origin } from '../support/egress-origin.ts';

const home = { path: '/data', logs: '/data/logs' } as Home;

function childOf(name: string, ready: Promise<string | undefined>, isReady: () => boolean): SupervisedChild {
  return { name, ready, isReady, identity: () => undefined, stop: async () => {} };
}

describe('waiting for the parts of the one-command start', () => {
  let api: Origin | undefined;
  let status = 503;
  const startApi = async (): Promise<SupervisedChild> => {
    api = await listen(createServer((_request, response) => response.writeHead(status).end('no workers')));
    return childOf('api', Promise.resolve(api.url), () => true);
  };
  afterEach(async () => {
    status = 503;
    await api?.[Symbol.asyncDispose]();
    api = undefined;
  });

  it('goes on past its time on a busy machine, and says what is missing', async () => {
    const lines: string[] = [];
    const worker = childOf('worker-http', new Promise<never>(() => {}), () => false);
    const waiting = untilReady(await startApi(), [worker], {
      home,
      say: (line) => lines.push(line),
      signal: new AbortController().signal,
      everyMs: 20,
    });
    await vi.waitFor(() => expect(lines.length).toBeGreaterThan(2));
    expect(lines[0]).toBe(
      'Not ready after 0.02 s; still waiting. Not up yet: worker-http. See /data/logs/*.log',
    );
    status = 200;
    expect(await waiting).toBe(api?.url);
    const { length } = lines;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(lines).toHaveLength(length);
  });

  it('ends where a part does not start, and where it is told to', async () => {
    const broken = childOf(
      'worker-http',
      Promise.reject(new StartError('worker-http does not start.')),
      () => false,
    );
    broken.ready.catch(() => {});
    const options = { home, say: () => {}, signal: new AbortController().signal };
    await expect(untilReady(await startApi(), [broken], options)).rejects.toThrow(
      'worker-http does not start.',
    );
    const stopped = AbortSignal.abort(new Error('stopped'));
    const asleep = childOf('api', new Promise<never>(() => {}), () => false);
    await expect(untilReady(asleep, [], { ...options, signal: stopped })).rejects.toThrow('stopped');
  });
});
