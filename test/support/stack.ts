import type { TestProject } from 'vitest/node';
import { startService } from './service.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The service that all tests share, and the ready key of its owner. */
    stack: { url: string; key: string; home: string };
  }
}

/** Starts one service for the whole run; tests that kill or starve things start their own. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startService();
  project.provide('stack', { url: service.url, key: service.key, home: service.home });
  return () => service.stop();
}
