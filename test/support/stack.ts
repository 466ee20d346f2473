import type { TestProject } from 'vitest/node';
import { startService } from './service.ts';
import { startConnectProxy } from './upstream-proxy.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The service that all tests share, and the ready key of its owner. */
    stack: { url: string; key: string; home: string };
  }
}

/** Starts one service for the whole run; tests that kill or starve things start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const proxy = await startConnectProxy({ credentials: 'quarry:p@ss' });
  // One address that only the proxy reaches, and one whose proxy is dead.
  const ways = [`127.0.0.7=http://quarry:p%40ss@127.0.0.1:${proxy.port}`, '127.0.0.8=http://127.0.0.1:1'];
  const service = await startService({ env: { EGRESS_PROXY: ways.join(', ') } });
  project.provide('stack', { url: service.url, key: service.key, home: service.home });
  return async () => {
    await service.stop();
    await proxy[Symbol.asyncDispose]();
  };
}
