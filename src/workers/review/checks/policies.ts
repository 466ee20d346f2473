import { CspEvaluator } from 'csp_evaluator/dist/evaluator.js';
import { Severity, Type } from 'csp_evaluator/dist/finding.js';
import { CspParser } from 'csp_evaluator/dist/parser.js';
import type { Check, SiteFacts } from './check.ts';

const longestPolicy = 8_000;

/** The policies of header and document that are enforced; one that only reports protects nobody. */
function policiesOf({ document: { headers }, page }: SiteFacts): string[] {
  const header = headers['content-security-policy'];
  // Several in one header are separated by commas.
  const sent = (header ?? '').slice(0, longestPolicy).split(',');
  return [...sent, ...page.metaPolicies.map((text) => text.slice(0, longestPolicy))].filter(
    (text) => text.trim() !== '',
  );
}

function weaknessesOf(policy: string): string[] {
  const findings = new CspEvaluator(new CspParser(policy).csp).evaluate();
  return findings
    .filter(
      ({ severity, type }) =>
        severity === Severity.HIGH || severity === Severity.MEDIUM || type === Type.SCRIPT_UNSAFE_EVAL,
    )
    .map(({ directive, value, description }) =>
      `${directive}${value === undefined ? '' : ` ${value}`}: ${description}`.replaceAll(/\s+/g, ' '),
    );
}

/** A number that stands by itself, as in `nginx/1.18.0` or `WordPress 6.2`; not the 3 of `AmazonS3`. */
function exposes(value: string | undefined): boolean {
  return (
    value !== undefined && /(?:^v?|[\s/(]v?)\d+(?:\.\d+)*(?!\w)|[-_a-z]\d+\.\d/i.test(value.slice(0, 1_000))
  );
}

const versionHeaders = [
  'server',
  'x-powered-by',
  'x-powered-cms',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  'x-generator',
  'x-php-version',
  'x-drupal-version',
  'x-joomla-version',
  'x-jenkins',
  'x-runtime-version',
  'liferay-portal',
  'microsoftsharepointteamservices',
];

/** Whom the header lets show the page in a frame. Where it says so, X-Frame-Options is ignored (CSP Level 3, 6.4.2). */
function isFramingRestricted({ document: { headers } }: SiteFacts): boolean {
  const policies = (headers['content-security-policy'] ?? '').slice(0, longestPolicy).split(',');
  const ancestors = policies.flatMap((text) => /(?:^|;)\s*frame-ancestors([^;]*)/i.exec(text)?.[1] ?? []);
  if (ancestors.length === 0) return /^\s*(deny|sameorigin)\b/i.test(headers['x-frame-options'] ?? '');
  const isOpen = (sources: string) => /(?:^|\s)(?:\*|https?:|https?:\/\/\*)(?:\s|$)/i.test(sources);
  return !ancestors.every(isOpen);
}

const referrerPolicies = new Set([
  'no-referrer',
  'no-referrer-when-downgrade',
  'origin',
  'origin-when-cross-origin',
  'same-origin',
  'strict-origin',
  'strict-origin-when-cross-origin',
  'unsafe-url',
]);

/** The headers that tell browsers what a page may do. */
export const policyChecks: readonly Check[] = [
  {
    id: 'csp-missing',
    category: 'security',
    severity: 'serious',
    title: 'No Content-Security-Policy',
    passed: 'A Content-Security-Policy is set',
    description: 'With it, a script that somebody smuggles into the page does not run.',
    fix: "Send a Content-Security-Policy; begin with script-src 'nonce-…' 'strict-dynamic'; object-src 'none'; base-uri 'none', as report-only first.",
    learnMore: 'https://developer.mozilla.org/en-US/docs/Web/HTTP/Guides/CSP',
    find: (facts) => {
      const { url, headers } = facts.document;
      const reportOnly = headers['content-security-policy-report-only'];
      const value = reportOnly === undefined ? null : `only reported, not enforced: ${reportOnly}`;
      return policiesOf(facts).length === 0 ? [{ url, value }] : [];
    },
  },
  {
    id: 'csp-weak',
    category: 'security',
    severity: 'moderate',
    title: 'The Content-Security-Policy can be got around',
    passed: 'The Content-Security-Policy holds',
    description: 'It allows what a smuggled script needs, such as inline script or any source.',
    fix: "Use nonces or hashes with 'strict-dynamic' in place of 'unsafe-inline' and lists of hosts, and add object-src 'none' and base-uri 'none'.",
    learnMore: 'https://csp-evaluator.withgoogle.com/',
    find: (facts) => {
      const policies = policiesOf(facts);
      if (policies.length === 0) return null;
      // Each policy must allow what runs: one that holds is enough.
      const weak = policies.map(weaknessesOf);
      return weak.some((found) => found.length === 0) ? [] : (weak[0] ?? []).map((value) => ({ value }));
    },
  },
  {
    id: 'framing-allowed',
    category: 'security',
    severity: 'moderate',
    title: 'Any site may show the page in a frame',
    passed: 'Framing is restricted',
    description: 'A foreign site can lay the page under its own and lead clicks to it (clickjacking).',
    fix: "Send Content-Security-Policy: frame-ancestors 'self' (or 'none'), or X-Frame-Options: DENY.",
    find: (facts) => (isFramingRestricted(facts) ? [] : [{ url: facts.document.url }]),
  },
  {
    id: 'nosniff-missing',
    category: 'security',
    severity: 'moderate',
    title: 'Browsers may guess the type of files',
    passed: 'Browsers keep to the declared types',
    description: 'An uploaded text can be taken for a script where its type is guessed.',
    fix: 'Send X-Content-Type-Options: nosniff with every answer.',
    find: ({ document: { headers, url } }) =>
      /nosniff/i.test(headers['x-content-type-options'] ?? '') ? [] : [{ url }],
  },
  {
    id: 'referrer-policy-missing',
    category: 'security',
    severity: 'minor',
    title: 'No Referrer-Policy that protects',
    passed: 'A Referrer-Policy is set',
    description: 'It says how much of the address other sites are told when a link to them is followed.',
    fix: 'Send Referrer-Policy: strict-origin-when-cross-origin, or stricter.',
    find: ({ document: { headers, url }, page }) => {
      // The last one that a browser knows holds; others are for older browsers.
      const known = (text: string | null | undefined) =>
        (text ?? '')
          .toLowerCase()
          .split(',', 20)
          .map((one) => one.trim())
          .findLast((one) => referrerPolicies.has(one));
      const value = known(page.referrerPolicy) ?? known(headers['referrer-policy']);
      return value === undefined || value === 'unsafe-url' ? [{ url, value: value ?? null }] : [];
    },
  },
  {
    id: 'version-exposed',
    category: 'security',
    severity: 'minor',
    title: 'The server tells the versions of its software',
    passed: 'No versions of software are told',
    description: 'Who looks for sites with a known hole finds them by the version.',
    fix: 'Remove the version from these headers and tags, or remove them.',
    find: ({ document: { headers }, page: { generator } }) => [
      ...versionHeaders
        .filter((name) => exposes(headers[name]))
        .map((name) => ({ value: `${name}: ${headers[name]}` })),
      ...(exposes(generator ?? undefined)
        ? [{ value: `<meta name="generator" content="${generator}">` }]
        : []),
    ],
  },
  {
    id: 'security-txt-missing',
    category: 'security',
    severity: 'minor',
    title: 'No valid security.txt',
    passed: 'A security.txt names a contact',
    description: 'Who finds a hole learns from it whom to tell (RFC 9116).',
    fix: 'Serve /.well-known/security.txt with the lines Contact: and Expires:.',
    learnMore: 'https://securitytxt.org/',
    find: ({ probes: { securityTxt }, document: { url }, now }) => {
      if (securityTxt === null) return null;
      const address = new URL('/.well-known/security.txt', url).href;
      const problem = findSecurityTxtProblem(securityTxt, now);
      return problem === null ? [] : [{ url: address, value: problem }];
    },
  },
];

function findSecurityTxtProblem(answer: { status: number; text: string }, now: Date): string | null {
  if (answer.status !== 200) return `status ${answer.status}`;
  if (!/^contact:\s*\S/im.test(answer.text)) return 'it has no Contact line';
  const expires = /^expires:[ \t]*(\S{1,40})/im.exec(answer.text)?.[1];
  if (expires === undefined) return 'it has no Expires line';
  return Date.parse(expires) > now.getTime() ? null : `it has expired: ${expires}`;
}
