import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FirstKey } from './first-key.ts';
import type { SupervisedChild } from './children.ts';
import type { Home } from './home.ts';
import { StartError } from './start-error.ts';

const sayAfterMs = 60_000;

/**
 * Waits until the API says by `GET /readyz` that everything is there, however long a busy machine takes; says each
 * minute what is missing.
 * @returns its base URL.
 * @throws StartError when a part does not start; the signal's reason when it is aborted.
 */
export async function untilReady(
  api: SupervisedChild,
  workers: readonly SupervisedChild[],
  { home, say, signal, everyMs = sayAfterMs }: Waiting,
): Promise<string> {
  const done = new AbortController();
  const ends = AbortSignal.any([signal, done.signal]);
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(ends.reason as Error);
    ends.addEventListener('abort', onAbort, { once: true });
    if (ends.aborted) onAbort();
  });
  aborted.catch(() => {});
  const failed = Promise.all([api, ...workers].map((child) => child.ready)).then(
    () => new Promise<never>(() => {}),
  );
  let answer = 'no answer';
  const poll = async (): Promise<string> => {
    const url = await api.ready;
    if (!url) throw new StartError('The API did not say its address in its ready message');
    while (!ends.aborted) {
      const response = await fetch(new URL('/readyz', url), { signal: ends }).catch(() => undefined);
      if (response?.ok) return url;
      if (response) answer = `${response.status} ${(await response.text()).slice(0, 1_000)}`;
      await sleep(50);
    }
    return await aborted;
  };
  let waitedMs = 0;
  const telling = setInterval(() => {
    waitedMs += everyMs;
    const waiting = [api, ...workers].filter((child) => !child.isReady()).map((child) => child.name);
    const missing =
      waiting.length > 0 ? `Not up yet: ${waiting.join(', ')}.` : `GET /readyz says: ${answer}.`;
    say(`Not ready after ${waitedMs / 1_000} s; still waiting. ${missing} See ${join(home.logs, '*.log')}`);
  }, everyMs);
  try {
    return await Promise.race([poll(), aborted, failed]);
  } finally {
    clearInterval(telling);
    done.abort();
  }
}

interface Waiting {
  readonly home: Home;
  /** A line for the person at the terminal. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
  /** How often what is missing is said. */
  readonly everyMs?: number;
}

export function readyMessage(facts: {
  url: string;
  firstKey: FirstKey;
  home: Home;
  /** How the owner signs in to the console, where the first start made a password. */
  signIn: string | undefined;
  /** The page that the example call scrapes. */
  tryUrl: string;
  /** Where the database really is, when root had to put it elsewhere. */
  databaseFolder: string | undefined;
}): string {
  const { key, file, isNew } = facts.firstKey;
  const elsewhere = facts.databaseFolder ? `, database in ${facts.databaseFolder}` : '';
  return [
    `Quarry is ready at ${facts.url}  (data in ${facts.home.path}${elsewhere})`,
    // Shown once: what a terminal shows is kept in its scrollback, and in the logs of whoever supervises us.
    isNew ? `Your API key: ${key}` : `Your API key is kept in ${file}`,
    ...(facts.signIn === undefined ? [] : [`Console: ${facts.url}/  (${facts.signIn})`]),
    'Try it:',
    `curl -s ${facts.url}/api/proxy/web/v1/scrape -H "X-API-Key: ${isNew ? key : `$(cat '${file}')`}" ` +
      `-H 'Content-Type: application/json' -d '${JSON.stringify({ url: facts.tryUrl })}'`,
    'Ctrl-C stops everything.',
  ].join('\n');
}
