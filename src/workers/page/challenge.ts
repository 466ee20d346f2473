import type { BlockedBy } from '../../shared/schemas/scraped-page.ts';

type Vendor = NonNullable<BlockedBy>['vendor'];

export interface AnsweredPage {
  status: number | null;
  headers: Record<string, string>;
  html: string;
  title: string | null;
}

interface Signature {
  vendor: Vendor;
  /** The answer's headers tell for sure. */
  headers?: (headers: Record<string, string>, status: number) => boolean;
  /** Found in the document, where it is short or its status an error: an article may speak of challenges too. */
  body?: RegExp;
}

const refusals = new Set([202, 401, 403, 405, 429, 503]);

/** From the vendors' own challenge pages, as they were in 2024-2026. */
const signatures: Signature[] = [
  {
    vendor: 'cloudflare',
    headers: (headers) => headers['cf-mitigated'] === 'challenge',
    body: /_cf_chl_opt|cf-browser-verification|challenge-platform\/h\/[a-z]\/orchestrate|Attention Required! \| Cloudflare|cf-error-details/,
  },
  {
    vendor: 'vercel',
    headers: (headers) => headers['x-vercel-mitigated'] === 'challenge',
    body: /Vercel Security Checkpoint/,
  },
  {
    vendor: 'aws-waf',
    headers: (headers) => /^(challenge|captcha)$/.test(headers['x-amzn-waf-action'] ?? ''),
    body: /awsWafCookieDomainList|AwsWafIntegration|window\.gokuProps/,
  },
  {
    vendor: 'datadome',
    headers: (headers, status) =>
      refusals.has(status) &&
      (headers['x-datadome'] === 'protected' ||
        headers['x-dd-b'] !== undefined ||
        headers['server'] === 'DataDome'),
    body: /(geo|ct|interstitial)?\.?captcha-delivery\.com/,
  },
  {
    vendor: 'kasada',
    headers: (headers, status) => status === 429 && headers['x-kpsdk-ct'] !== undefined,
    body: /window\.KPSDK\s*=|KPSDK\.now\(\)/,
  },
  { vendor: 'perimeterx', body: /px-captcha|captcha\.px-(cdn|cloud)\.net|window\._pxAppId/ },
  {
    vendor: 'imperva',
    body: /_Incapsula_Resource|Incapsula incident ID|Pardon Our Interruption/,
  },
  {
    vendor: 'akamai',
    headers: (headers, status) => status === 403 && headers['server']?.startsWith('Akamai') === true,
    body: /sec-if-cpt-container|sec-bc-tile-parent|[?&]bm-verify=|errors\.edgesuite\.net/,
  },
  { vendor: 'sucuri', body: /sucuri_cloudproxy_js|Sucuri WebSite Firewall - Access Denied/ },
  {
    vendor: 'ddos-guard',
    headers: (headers, status) => refusals.has(status) && /^ddos-guard$/i.test(headers['server'] ?? ''),
    body: /check\.ddos-guard\.net|ddos-guard\/js-challenge/,
  },
  { vendor: 'f5', body: /\/TSPD\/|window\["bobcmn"\]|Your support ID is:? ?<?/ },
  { vendor: 'google', body: /Our systems have detected unusual traffic from your computer network/ },
];

const scannedCharacters = 200_000;
/** A challenge says little; a page that says more is the page itself. */
const shortText = 1_500;

/**
 * Recognizes a bot challenge that came in place of the page.
 * @param textLength characters of visible text, counted when it matters.
 */
export function findChallenge(page: AnsweredPage, textLength: () => number): BlockedBy {
  const { headers, html } = page;
  const status = page.status ?? 200;
  const head = html.slice(0, scannedCharacters);
  for (const { vendor, headers: tells, body } of signatures) {
    if (tells?.(headers, status)) return { vendor };
    if (!body?.test(head)) continue;
    if (refusals.has(status) || textLength() < shortText) return { vendor };
  }
  return null;
}
