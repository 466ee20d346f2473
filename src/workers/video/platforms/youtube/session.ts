// One file: the package's hundreds take five times as long to load, in each process anew.
import { Innertube, Platform as Library, Player } from 'youtubei.js/web.bundle';
import { ask, checkInterface, jsonOf } from '../answers.ts';
import type { PlatformContext } from '../platform.ts';
import { evaluateScript } from './evaluator.ts';

/** Kinds of client: what InnerTube answers, and whether its links need deciphering, depends on who asks. */
export type ClientKind = 'VISIONOS' | 'ANDROID_VR' | 'WEB';

export interface InnertubeSession {
  /** Asks an endpoint such as `player` and answers its JSON. @throws AppError, FetchFailed */
  ask(endpoint: string, payload: object, client: ClientKind): Promise<unknown>;
  /** Makes a link of a ciphered one; fetches the site's player script at its first use. */
  decipher(cipher: string): Promise<string>;
}

const ownHosts = /(^|\.)(youtube\.com|youtubei\.googleapis\.com)$/;

/** The same URL at `base`, where it is one of YouTube's own and `base` stands in for YouTube. */
export function rebase(url: string, base: string): string {
  const parsed = URL.parse(url);
  const isOwn = parsed !== null && ownHosts.test(parsed.hostname);
  if (!isOwn || ownHosts.test(new URL(base).hostname)) return url;
  return new URL(parsed.pathname + parsed.search, base).href;
}

/** A session that is made here: no request is needed for it. */
export async function openSession({ fetch: fetchIt, settings }: PlatformContext): Promise<InnertubeSession> {
  const { youtubeUrl, youtubeCookies, youtubePoToken } = settings;
  const fetchHere: typeof fetch = async (input, init) => {
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
    const method = input instanceof Request ? { method: input.method } : {};
    const response = await ask(fetchIt, rebase(url, youtubeUrl), { ...method, ...init });
    checkInterface(response, 'YouTube');
    return response;
  };
  // As its build for Node has it: else it leaves out the headers that browsers set by themselves.
  Object.assign(Library.shim, { runtime: 'node', server: true });
  Library.shim.eval = async ({ output }, { n = '', sp = '', sig = '' }) => {
    const given = [n, sp, sig].map((part) => JSON.stringify(String(part))).join(', ');
    return (await evaluateScript(`${output}\nreturn process(${given});`)) as Record<string, string>;
  };
  const { session } = await Innertube.create({
    generate_session_locally: true,
    retrieve_player: false,
    retrieve_innertube_config: false,
    enable_session_cache: false,
    lang: 'en',
    location: 'US',
    timezone: 'UTC',
    fetch: fetchHere,
    ...(youtubeCookies === null ? {} : { cookie: youtubeCookies }),
    ...(youtubePoToken === null ? {} : { po_token: youtubePoToken }),
  });
  let player: Promise<Player> | undefined;
  return {
    async ask(endpoint, payload, client) {
      const body = JSON.stringify({ ...payload, client });
      const headers = { 'content-type': 'application/json' };
      return await jsonOf(
        await session.http.fetch(`/${endpoint}`, { method: 'POST', body, headers }),
        'YouTube',
      );
    },
    async decipher(cipher) {
      player ??= Player.create(undefined, fetchHere, youtubePoToken ?? undefined);
      return await (await player).decipher(undefined, cipher);
    },
  };
}
