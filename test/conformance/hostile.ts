import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { readProcessTree } from '../../src/shared/processes/process-tree.ts';
import { type Service, startService } from '../support/service.ts';
import { startMisleadingSite } from '../support/misleading-site.ts';
import { startSite } from '../support/site.ts';
import { startTlsOrigins, type TlsOrigins } from '../support/tls-origins.ts';
import { askService } from './asking.ts';
import type { CaseResult } from './egress.ts';
import { hostileNetworkCases } from './hostile-network-cases.ts';
import { hostilePageCases } from './hostile-page-cases.ts';
import type { HostileContext } from './hostile-verdicts.ts';

const checks = { ...hostileNetworkCases, ...hostilePageCases };

/** Only one at a time, and nothing beside them: they starve or kill what runs with them. */
const aloneIds = new Set([
  'huge-body',
  'js-endless-loop',
  'regex-bomb',
  'redirect-loop',
  'brotli-zstd-bomb',
  'worker-loop',
  'memory-js',
  'renderer-crash',
  'request-flood',
  'gpu-shader',
]);

interface HostileCase {
  id: string;
  expect: string;
}

/** A whole service of its own, which can reach the fixture site and nothing else. */
export async function withHostileService<T>(run: (context: HostileContext) => Promise<T>): Promise<T> {
  await using site = await startSite();
  await using canary = await startSite();
  await using tls = await startTlsOrigins();
  await using misleading = await startMisleadingSite(canary.origin);
  const opened = [site.origin, misleading.url, ...originsOf(tls)].map((origin) => new URL(origin).host);
  const service = await startService({ env: { EGRESS_ALLOW: opened.join(',') } });
  try {
    const context = createContext(service, { site, canary, tls, misleading });
    await context.browse('/article');
    return await run(context);
  } finally {
    await service.stop();
  }
}

/** Opens every hostile page as a client would, and after each an ordinary page, which has to come out right. */
export async function runHostilePages(
  sharedFolder: string,
  context: HostileContext,
  only: readonly string[],
): Promise<CaseResult[]> {
  const text = await readFile(join(sharedFolder, 'cases/hostile-pages.json'), 'utf8');
  const cases = (JSON.parse(text) as HostileCase[]).filter(
    ({ id }) => only.length === 0 || only.includes(id),
  );
  const run = async (given: HostileCase) => runCase(given, context);
  const together = cases.filter(({ id }) => !aloneIds.has(id));
  const results = await inTurns(together, 3, run);
  for (const given of cases.filter(({ id }) => aloneIds.has(id))) results.push(await run(given));
  return results;
}

function originsOf({ stranger, expired, outdated }: TlsOrigins): string[] {
  return [stranger, expired, outdated];
}

function createContext(
  service: Service,
  sites: Pick<HostileContext, 'site' | 'canary' | 'tls' | 'misleading'>,
): HostileContext {
  const ask = askService(service);
  const { url: serviceUrl, key } = service;
  const url = (path: string): string => sites.site.origin + path;
  const tree = () => readProcessTree(service.process.pid ?? 0);
  return {
    ...sites,
    ask,
    serviceUrl,
    key,
    browse: (path, options) => ask('scrape', { url: url(path), render: 'browser', ...options }),
    read: (path, options) => ask('scrape', { url: url(path), render: 'http', ...options }),
    shoot: (path, options) => ask('screenshot', { url: url(path), ...options }),
    killRenderers() {
      const renderers = tree().filter((one) => one.isRenderer);
      for (const { pid } of renderers) process.kill(pid, 'SIGKILL');
      return renderers.length;
    },
    memoryBytes: () => tree().reduce((sum, one) => sum + one.bytes, 0),
  };
}

async function runCase({ id, expect }: HostileCase, context: HostileContext): Promise<CaseResult> {
  const check = checks[id];
  const verdict = check
    ? await check(context).catch((error: unknown) => `failed: ${String(error)}`)
    : 'nothing runs this case';
  const next = await context.browse('/article');
  const nextIsRight = next.data['title'] === 'How slate is split';
  const got = verdict ?? (nextIsRight ? 'so it is' : `the next job: ${next.status} ${next.code}`);
  return { id, ok: verdict === null && nextIsRight, expected: expect, got };
}

async function inTurns<T, R>(items: readonly T[], width: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.values();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (const item of waiting) results.push(await run(item));
    }),
  );
  return results;
}
