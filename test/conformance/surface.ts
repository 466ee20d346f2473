import { setTimeout as sleep } from 'node:timers/promises';

import type { CaseResult, EgressCase } from './egress.ts';
import type { HostileContext } from './hostile-verdicts.ts';

type Try = (context: HostileContext) => Promise<string>;

/** The other doors by the first words of their case: each is asked to reach the canary, which is closed. */
const surfaces: [beginning: string, attempt: Try][] = [
  [
    'links found by the crawler',
    ({ ask, misleading }) =>
      refusal(ask('scrape/links-map', { url: misleading.url, sameDomain: false, sitemap: false, depth: 2 })),
  ],
  [
    'robots.txt and sitemap entries',
    ({ ask, misleading }) => refusal(ask('scrape/links-map', { url: misleading.url, sameDomain: false })),
  ],
  [
    'streaming variant of an endpoint',
    async (context) => {
      // The variants that answer something else than JSON.
      const statuses = await Promise.all([
        post(context, 'screenshot', { url: context.canary.origin }, { Accept: 'image/*' }),
        post(context, 'convert/markdown', { url: context.canary.origin }, { Accept: 'text/markdown' }),
      ]);
      return statuses.every((status) => status === 403 || status === 404)
        ? 'address'
        : `answered ${statuses.join()}`;
    },
  ],
  [
    'customer-set proxy or browser flags',
    async ({ ask, site, canary }) => {
      const tries = [{ proxy: canary.origin }, { args: ['--no-sandbox'] }, { launchOptions: {} }];
      for (const options of tries) {
        const { code } = await ask('screenshot', { url: `${site.origin}/article`, ...options });
        if (code !== 'invalid_request') return `${JSON.stringify(options)}: ${code ?? 'taken'}`;
      }
      return 'address';
    },
  ],
  [
    'webhook or callback URL',
    async (context) => {
      const headers = { 'X-Webhook-Url': `${context.canary.origin}/hook` };
      await post(context, 'scrape', { url: `${context.site.origin}/article` }, headers);
      await sleep(2_000);
      return 'address';
    },
  ],
];

/** Runs the egress cases of kind surface: what else in the service could be told to go somewhere. */
export async function runSurfaces(
  cases: readonly EgressCase[],
  context: HostileContext,
): Promise<CaseResult[]> {
  const results: CaseResult[] = [];
  for (const { id, reason, input } of cases) {
    if (input.kind !== 'surface') continue;
    const attempt = surfaces.find(([beginning]) => input.surface.startsWith(beginning))?.[1];
    context.canary.requests.length = 0;
    const outcome = attempt ? await attempt(context) : 'nothing runs this case';
    const got = context.canary.requests.length > 0 ? 'the canary was reached' : outcome;
    results.push({ id, ok: got === reason, expected: reason, got });
  }
  return results;
}

/** `address` when the request was answered, so that what it led to was refused on the way. */
async function refusal(asked: ReturnType<HostileContext['ask']>): Promise<string> {
  const { status, code, detail } = await asked;
  return status === 200 ? 'address' : `${status} ${code}: ${detail}`;
}

async function post(
  { serviceUrl, key }: HostileContext,
  path: string,
  body: object,
  headers: Record<string, string>,
): Promise<number> {
  const response = await fetch(new URL(`/api/proxy/web/v1/${path}`, serviceUrl), {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
}
