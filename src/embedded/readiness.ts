import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FirstKey } from './first-key.ts';
import type { SupervisedChild } from './children.ts';
import type { Home } from './home.ts';
import { StartError } from './start-error.ts';

const readyWithinMs = 60_000;

/**
 * Waits until the API says by `GET /readyz` that everything is there.
 * @returns its base URL.
 * @throws StartError naming the part that is missing.
 */
export async function untilReady(
  api: SupervisedChild,
  workers: readonly SupervisedChild[],
  home: Home,
  signal: AbortSignal,
): Promise<string> {
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(readyWithinMs)]);
  const timeIsUp = new Promise<never>((_, reject) => {
    const onAbort = (): void => reject(deadline.reason as Error);
    deadline.addEventListener('abort', onAbort, { once: true });
    if (deadline.aborted) onAbort();
  });
  const failed = Promise.all([api, ...workers].map((child) => child.ready)).then(
    () => new Promise<never>(() => {}),
  );
  let answer = 'no answer';
  const poll = async (): Promise<string> => {
    const url = await api.ready;
    if (!url) throw new StartError('The API did not say its address in its ready message');
    while (!deadline.aborted) {
      const response = await fetch(new URL('/readyz', url), { signal: deadline }).catch(() => undefined);
      if (response?.ok) return url;
      if (response) answer = `${response.status} ${(await response.text()).slice(0, 1_000)}`;
      await sleep(50);
    }
    return await timeIsUp;
  };
  try {
    return await Promise.race([poll(), timeIsUp, failed]);
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error;
    const waiting = [api, ...workers].filter((child) => !child.isReady()).map((child) => child.name);
    const missing =
      waiting.length > 0 ? `Not up yet: ${waiting.join(', ')}. ` : `GET /readyz says: ${answer}. `;
    throw new StartError(
      `Quarry is not ready after ${readyWithinMs / 1000} s. ${missing}See ${join(home.logs, '*.log')}`,
    );
  }
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
