import { isTrackingParameter } from '../addresses/tracking-parameters.ts';

/** Hosts whose links do nothing but count who follows them. */
const countingHosts =
  /(?:^|\.)(?:doubleclick\.net|googleadservices\.com|adnxs\.com|adsrvr\.org|taboola\.com|outbrain\.com|criteo\.com)$/i;

/** The address without the parameters that follow a reader about, all else as it is; null where it only counts. */
export function withoutTracking(url: string): string | null {
  const isSuspect = url.includes('?') || countingHosts.test(url.slice(0, 200).split('/')[2] ?? '');
  if (!isSuspect || !/^https?:/i.test(url) || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (countingHosts.test(parsed.hostname)) return null;
  // By hand: `searchParams` writes the others anew, in UTF-8.
  const pairs = parsed.search.slice(1).split('&');
  const kept = pairs.filter((pair) => !isTrackingParameter(nameOf(pair)));
  if (kept.length === pairs.length) return url;
  parsed.search = kept.join('&');
  return parsed.href;
}

/** Unescaped; as it stands where it is escaped in another encoding than UTF-8. */
function nameOf(pair: string): string {
  const name = pair.split('=', 1)[0] ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
