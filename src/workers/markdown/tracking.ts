const trackingParameters =
  /^(?:utm_\w+|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid|_hsenc|_hsmi|mkt_tok|vero_id|oly_enc_id|oly_anon_id|srsltid)$/i;
/** Hosts whose links do nothing but count who follows them. */
const countingHosts =
  /(?:^|\.)(?:doubleclick\.net|googleadservices\.com|adnxs\.com|adsrvr\.org|taboola\.com|outbrain\.com|criteo\.com)$/i;

/** The address without the parameters that follow a reader about; null where it only counts. */
export function withoutTracking(url: string): string | null {
  const isSuspect = url.includes('?') || countingHosts.test(url.slice(0, 200).split('/')[2] ?? '');
  if (!isSuspect || !/^https?:/i.test(url) || !URL.canParse(url)) return url;
  const parsed = new URL(url);
  if (countingHosts.test(parsed.hostname)) return null;
  const names = [...new Set(parsed.searchParams.keys())].filter((name) => trackingParameters.test(name));
  if (names.length === 0) return url;
  for (const name of names) parsed.searchParams.delete(name);
  return parsed.href;
}
