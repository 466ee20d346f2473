import { at, type Check, type SiteFacts } from './check.ts';

const isHttps = (url: string) => url.startsWith('https:');
const soonDays = 14;
const dayMs = 86_400_000;
const halfYearSeconds = 15_552_000;
const hsts = 'strict-transport-security';
/** 0 where there is none: a header without max-age is ignored, and max-age=0 takes an earlier one back. */
const hstsSeconds = (headers: Record<string, string>) =>
  Number(/max-age\s*=\s*"?(\d{1,12})/i.exec(headers[hsts] ?? '')?.[1] ?? 0);

/** How the page comes to its reader: encryption and the headers that insist on it. */
export const connectionChecks: readonly Check[] = [
  {
    id: 'no-https',
    category: 'security',
    severity: 'critical',
    title: 'The page is not served over HTTPS',
    passed: 'The page is served over HTTPS',
    description: 'Everyone on the way can read and change what goes over plain HTTP.',
    fix: 'Get a certificate (they are free), serve the site over HTTPS and redirect all of HTTP to it.',
    learnMore: 'https://developer.mozilla.org/en-US/docs/Web/Security/Practical_implementation_guides/TLS',
    find: ({ document: { url } }) => (isHttps(url) ? [] : [{ url }]),
  },
  {
    id: 'tls-certificate-invalid',
    category: 'security',
    severity: 'critical',
    title: 'The certificate is not trusted',
    passed: 'The certificate is trusted',
    description:
      'Browsers warn of the site: the certificate has expired, is for another name, or nobody vouches for it.',
    fix: 'Install a certificate for this name from an authority that browsers trust, with its whole chain.',
    find: ({ document: { certificate } }) =>
      certificate === null
        ? null
        : certificate.valid
          ? []
          : [{ value: `issued by ${certificate.issuer ?? 'nobody'}, expires ${day(certificate.expiresAt)}` }],
  },
  {
    id: 'tls-certificate-expiring',
    category: 'security',
    severity: 'serious',
    title: 'The certificate expires soon',
    passed: 'The certificate is valid for a while',
    description: 'Browsers refuse the site from the moment on that its certificate expires.',
    fix: 'Renew the certificate, and let it be renewed by itself from now on.',
    find: ({ document: { certificate }, now }) => {
      if (!certificate?.valid || certificate.expiresAt === null) return null;
      const leftMs = certificate.expiresAt.getTime() - now.getTime();
      return leftMs > soonDays * dayMs ? [] : [{ value: `expires ${day(certificate.expiresAt)}` }];
    },
  },
  {
    id: 'tls-version-old',
    category: 'security',
    severity: 'serious',
    title: 'The server speaks an old version of TLS',
    passed: 'The server speaks TLS 1.2 or newer',
    description: 'TLS 1.0 and 1.1 are withdrawn (RFC 8996): attacks on them are known.',
    fix: 'Allow TLS 1.2 and 1.3 only.',
    find: ({ page: { tlsProtocol }, probes: { takesOldTls } }) => {
      if (tlsProtocol === null) return null;
      if (!/TLS 1\.[23]|QUIC/.test(tlsProtocol)) return [{ value: tlsProtocol }];
      return takesOldTls === true
        ? [{ value: `${tlsProtocol}, and TLS 1.0 or 1.1 where a client asks` }]
        : [];
    },
  },
  {
    id: 'http-not-redirected',
    category: 'security',
    severity: 'serious',
    title: 'The HTTP address does not lead to HTTPS',
    passed: 'The HTTP address leads to HTTPS',
    description: 'Who types the address without https stays on a connection that anyone can read.',
    fix: 'Answer every HTTP request with a 301 to the same address with https.',
    find: ({ probes: { plainHttp } }) =>
      plainHttp === null ? null : isHttps(plainHttp.finalUrl) ? [] : [{ url: plainHttp.finalUrl }],
  },
  {
    id: 'hsts-missing',
    category: 'security',
    severity: 'serious',
    title: 'No Strict-Transport-Security header',
    passed: 'Strict-Transport-Security is sent',
    description: 'Without it a first visit over HTTP can be taken over before it is redirected.',
    fix: 'Send Strict-Transport-Security: max-age=31536000; includeSubDomains over HTTPS.',
    learnMore:
      'https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Strict-Transport-Security',
    find: ({ document: { url, headers } }) =>
      !isHttps(url) ? null : hstsSeconds(headers) > 0 ? [] : [{ url, value: headers[hsts] ?? null }],
  },
  {
    id: 'hsts-weak',
    category: 'security',
    severity: 'minor',
    title: 'Strict-Transport-Security holds for less than half a year',
    passed: 'Strict-Transport-Security holds long enough',
    description: 'A browser forgets a short one between two visits.',
    fix: 'Raise max-age to 31536000 (a year).',
    find: ({ document: { url, headers } }) => {
      const seconds = hstsSeconds(headers);
      if (!isHttps(url) || seconds === 0) return null;
      return seconds >= halfYearSeconds ? [] : [{ value: headers[hsts] ?? null }];
    },
  },
  {
    id: 'mixed-content',
    category: 'security',
    severity: 'serious',
    title: 'The HTTPS page loads from plain HTTP',
    passed: 'Nothing is loaded from plain HTTP',
    description:
      'Browsers block it or fetch it over HTTPS, where it may be missing; an image can be exchanged on the way.',
    fix: 'Write these addresses with https.',
    find: ({ document: { url }, page }) => (isHttps(url) ? findPlain(page) : null),
  },
  {
    id: 'insecure-form',
    category: 'security',
    severity: 'critical',
    title: 'A form sends over plain HTTP',
    passed: 'Forms send over HTTPS',
    description: 'What people write into the form can be read and changed on its way.',
    fix: "Point the form's action to an https address.",
    find: ({ document: { url }, page }) => {
      const forms = page.plain.filter(({ isForm }) => isForm).map((one) => ({ ...at(one), url: one.url }));
      const passwords = isHttps(url) ? [] : page.passwordFields.map(at);
      return page.hasForms ? [...forms, ...passwords] : null;
    },
  },
];

/** What elements name, and what else was asked for: by style sheets, scripts and frames. */
function findPlain({ plain, plainRequests }: SiteFacts['page']) {
  const named = plain.filter(({ isForm }) => !isForm).map((one) => ({ ...at(one), url: one.url }));
  const isNamed = new Set(named.map(({ url }) => url));
  return [...named, ...plainRequests.filter((url) => !isNamed.has(url)).map((url) => ({ url }))];
}

const day = (date: Date | null): string => date?.toISOString().slice(0, 10) ?? 'at an unknown time';
