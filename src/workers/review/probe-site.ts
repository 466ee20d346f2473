import type { EgressLease } from '../../shared/egress/types.ts';
import { mapAtOnce } from '../../shared/map-at-once.ts';
import { decodeText, findCharset } from '../page/html/charset.ts';
import { readHead } from '../page/html/head.ts';
import { checkAlive, reasonOf } from '../url/check-alive.ts';
import { isRefusal, leadsOffWeb, toWalkRequest } from '../url/walk-redirects.ts';
import { withoutFragment } from '../addresses/without-fragment.ts';
import type { SiteProbes } from './checks/check.ts';
import type { PageFacts } from './page-facts.ts';

const answerWithinMs = 8_000;
/** Of everything that is asked beside the page. */
const allWithinMs = 20_000;
const mostLinks = 40;
const mostImages = 20;
const mostNeighbours = 10;
const atOnce = 6;
const titleBytes = 65_536;
const refusing = new Set([402, 406, 451]);

interface Asked {
  lease: EgressLease;
  signal: AbortSignal;
}

/** Asks the site for what its page alone does not tell. Each answer that does not come is told as null or broken. */
export async function probeSite(
  { url, page }: { url: string; page: PageFacts },
  { lease, signal }: Asked,
): Promise<Omit<SiteProbes, 'takesOldTls'>> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(allWithinMs)]);
  const asked = { lease, signal: within };
  const links = distinct(
    page.links.map((link) => link.url),
    url,
  );
  const { origin } = new URL(url);
  // Where a file lies is told by its name often enough; what is no page shows no title then.
  const ownPages = links.filter((link) => URL.parse(link)?.origin === origin);
  const images = distinct(
    [...cardImages(page, url), ...page.images.filter(({ isBroken }) => !isBroken).map(({ src }) => src)],
    url,
  );
  const [securityTxt, plainHttp, neighbours, triedLinks, triedImages] = await Promise.all([
    readSecurityTxt(origin, asked),
    followPlainHttp(url, asked),
    mapAtOnce(sample(ownPages, mostNeighbours), atOnce, (link) => readTitle(link, { url, page }, asked)),
    mapAtOnce(
      sample([...ownPages, ...links.filter((link) => !ownPages.includes(link))], mostLinks),
      atOnce,
      (link) => tryAddress(link, asked),
    ),
    mapAtOnce(sample(images, mostImages), atOnce, (image) => tryAddress(image, asked)),
  ]);
  signal.throwIfAborted();
  return {
    securityTxt,
    plainHttp,
    neighbours: neighbours.flatMap((one) => one ?? []),
    links: triedLinks.flatMap((one) => one ?? []),
    images: triedImages.flatMap((one) => one ?? []),
  };
}

/** Pictures that networks show with a link to the page. */
export const cardImages = ({ social }: Pick<PageFacts, 'social'>, url: string): string[] =>
  social
    .filter(({ property }) => /^(?:og|twitter):image$/.test(property))
    .flatMap(({ content }) => URL.parse(content, url)?.href ?? []);

/** Web addresses, each once, without fragments, and without the page itself. */
function distinct(urls: readonly string[], own: string): string[] {
  const all = new Set(urls.filter((url) => /^https?:\/\//.test(url)).map(withoutFragment));
  all.delete(withoutFragment(own));
  return [...all];
}

/** Evenly over the whole list, so that the foot of a page is looked at as its head is. */
function sample<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, at) => list[Math.floor((at * list.length) / most)] as T);
}

/** As many as browsers follow. */
const maxRedirects = 20;

/** Null where it could not be tried: a rule of ours or our own haste is not the fault of the link. */
async function tryAddress(
  url: string,
  { lease, signal }: Asked,
): Promise<{ url: string; reason: string; isBroken: boolean } | null> {
  try {
    const walk = await checkAlive(
      lease,
      toWalkRequest({ url, maxRedirects, timeout: answerWithinMs }, signal),
    );
    if (signal.aborted || isRefusal(walk) || leadsOffWeb(walk)) return null;
    const { response, failure, loop } = walk;
    if (loop) return { url, reason: 'redirects in a circle', isBroken: true };
    if (failure !== null) {
      if (failure.code === 'target_timeout')
        return { url, reason: `no answer within ${answerWithinMs / 1_000} s`, isBroken: true };
      return { url, reason: failure.code.replace('target_', '').replaceAll('_', ' '), isBroken: true };
    }
    if (response === null) return null;
    const { status } = response;
    // What refuses programs, or all who come from here, may be there for the readers of the page.
    if (status < 200 || (status >= 300 && status < 400) || status >= 600 || refusing.has(status)) return null;
    return { url, reason: `status ${status}`, isBroken: !reasonOf(status).alive };
  } catch {
    return null;
  }
}

async function readSecurityTxt(origin: string, { lease, signal }: Asked): Promise<SiteProbes['securityTxt']> {
  try {
    const { status, body } = await lease.fetch({
      url: `${origin}/.well-known/security.txt`,
      timeoutMs: answerWithinMs,
      maxBodyBytes: 32_768,
      cutsBody: true,
      signal,
    });
    return { status, text: body.toString('utf8') };
  } catch {
    return null;
  }
}

/** Only where HTTPS is on its usual port: beside any other, nobody knows where HTTP would be. */
async function followPlainHttp(url: string, { lease, signal }: Asked): Promise<SiteProbes['plainHttp']> {
  const target = new URL(url);
  if (target.protocol !== 'https:' || target.port !== '') return null;
  target.protocol = 'http:';
  try {
    const answer = await lease.fetch({
      url: target.href,
      timeoutMs: answerWithinMs,
      maxRedirects: 5,
      readBody: () => false,
      signal,
    });
    return { finalUrl: answer.url };
  } catch {
    return null;
  }
}

/** The same page has many addresses: by its fragment, and by the name of its file. */
const addressOf = (url: string) => withoutFragment(url).replace(/\/index\.(?:html?|php)(?=$|\?)/i, '/');

/** Null for what is no page of its own: it leads to the page itself, or names that as its canonical address. */
async function readTitle(
  url: string,
  own: { url: string; page: PageFacts },
  { lease, signal }: Asked,
): Promise<{ url: string; title: string } | null> {
  try {
    const answer = await lease.fetch({
      url,
      timeoutMs: answerWithinMs,
      maxBodyBytes: titleBytes,
      cutsBody: true,
      signal,
      readBody: ({ headers }) => /html/i.test(headers['content-type'] ?? ''),
    });
    if (answer.status !== 200) return null;
    const { body, headers } = answer;
    const charset = findCharset(body, headers['content-type'] ?? '', 'html');
    const { title, canonical } = readHead(decodeText(body, charset), { url: answer.url, headers, charset });
    const ours = new Set([own.url, own.page.canonical ?? own.url].map(addressOf));
    const isOurs = [answer.url, canonical ?? answer.url].some((one) => ours.has(addressOf(one)));
    return title === null || isOurs ? null : { url, title: title.slice(0, 200) };
  } catch {
    return null;
  }
}
