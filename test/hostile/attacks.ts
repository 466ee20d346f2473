import { randomUUID } from 'node:crypto';
import type { Random } from '../chaos/random.ts';
import { hostileBytePages } from '../support/site/hostile-bytes.ts';
import { hostileContentPages } from '../support/site/hostile-content.ts';
import { hostilePages } from '../support/site/hostile.ts';
import { memoryBombs } from '../support/site/memory-bombs.ts';

export interface AttackOptions {
  url: string;
  key: string;
  site: string;
  /** Id of a key of the other user. */
  victim: string;
}

const web = '/api/proxy/web/v1';
const pages = [hostilePages, hostileContentPages, hostileBytePages, memoryBombs].flatMap(Object.keys);
const headers = ['type', 'refresh', 'folded'];
/** As long as they may be, and as slow to be read as any. */
const selectors = Array.from({ length: 50 }, () => ({
  selector: `${':not('.repeat(160)}a${')'.repeat(160)}`,
}));
const stars = '*a'.repeat(200);

export interface Attack {
  kind: string;
  /** Sends its request. @returns how it was answered: `200`, `504 target_timeout`. */
  send(): Promise<string>;
  /** The hostile page that it asks for; other kinds ask for none. */
  page: string;
}

export interface Attacks {
  readonly kinds: readonly string[];
  /** Chooses a request by `random`, of one of these kinds. */
  choose(random: Random, kinds: readonly string[]): Attack;
}

export function createAttacks({ url, key, site, victim }: AttackOptions): Attacks {
  async function send(path: string, body: unknown, method = 'POST'): Promise<string> {
    const sends = method === 'POST';
    const request = {
      method,
      headers: { 'X-API-Key': key, ...(sends ? { 'Content-Type': 'application/json' } : {}) },
      body: sends ? (typeof body === 'string' ? body : JSON.stringify(body)) : null,
      signal: AbortSignal.timeout(60_000),
    };
    return await fetch(url + path, request).then(
      async (answer) => {
        const code = /"code":"(\w+)"/.exec(await answer.text())?.[1] ?? '';
        return answer.ok ? `${answer.status}` : `${answer.status} ${code}`;
      },
      () => 'no answer',
    );
  }

  const kinds: [name: string, attack: (target: string, random: Random) => ReturnType<typeof send>][] = [
    ['read', (target) => send(`${web}/scrape`, { url: target, render: 'http', timeout: 5_000 })],
    ['render', (target) => send(`${web}/scrape`, { url: target, render: 'browser', timeout: 3_000 })],
    ['extract', (target) => send(`${web}/extract`, { url: target, render: 'http', timeout: 5_000 })],
    ['resolve', (target) => send(`${web}/url/get-url-after-redirects`, { url: target, timeout: 5_000 })],
    [
      'elements',
      (target) =>
        send(`${web}/scrape`, { url: target, render: 'http', elements: [{ selector: ':not('.repeat(40) }] }),
    ],
    [
      'map',
      (target) =>
        send(`${web}/scrape/links-map`, {
          url: target,
          depth: 1,
          limit: 20,
          include: Array.from({ length: 50 }, () => stars),
          timeout: 5_000,
        }),
    ],
    [
      'batch',
      (target) =>
        send(`${web}/scrape/urls`, {
          urls: [1, 2, 3].map((n) => `${target}?${n}`),
          render: 'http',
          timeout: 3_000,
        }),
    ],
    [
      'selectors',
      (target) => send(`${web}/scrape`, { url: target, render: 'http', elements: selectors, timeout: 5_000 }),
    ],
    [
      'header',
      (_, random) =>
        send(`${web}/scrape`, {
          url: `${site}/long-header?in=${headers[random.below(headers.length)]}`,
          render: 'http',
          timeout: 5_000,
        }),
    ],
    ['picture', (target) => send(`${web}/screenshot`, { url: target, fullPage: true, timeout: 3_000 })],
    ['private', (_, random) => send(`${web}/scrape`, { url: `http://10.0.0.${random.below(255)}/` })],
    ['broken', (_, random) => send(`${web}/scrape`, '{'.repeat(1 + random.below(100_000)))],
    ['foreign job', () => send(`/api/proxy/jobs/${randomUUID()}`, null, 'GET')],
    ['foreign key', () => send(`/api/keys/${victim}/revoke`, {})],
  ];

  return {
    kinds: kinds.map(([name]) => name),
    choose(random, names) {
      const chosen = kinds.filter(([name]) => names.includes(name));
      const [kind, attack] = chosen[random.below(chosen.length)] ?? ['none', async () => 'no answer'];
      const page = pages[random.below(pages.length)] ?? '';
      return { kind, page, send: () => attack(site + page, random) };
    },
  };
}
