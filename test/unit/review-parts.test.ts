import { describe, expect, test } from 'vitest';
import { compareReviews } from '../../src/api/reviews/compare-reviews.ts';
import type { EgressLease } from '../../src/shared/egress/types.ts';
import { AppError, type ErrorCode } from '../../src/shared/errors.ts';
import type { ReviewIssue, ReviewMetrics, ReviewRun, StoredReview } from '../../src/shared/schemas/review.ts';
import { bodyChecks } from '../../src/workers/review/checks/body.ts';
import { runChecks, type SiteFacts } from '../../src/workers/review/checks/check.ts';
import { connectionChecks } from '../../src/workers/review/checks/connection.ts';
import { cookieChecks, parseSetCookies } from '../../src/workers/review/checks/cookies.ts';
import { integrityChecks } from '../../src/workers/review/checks/integrity.ts';
import { headChecks } from '../../src/workers/review/checks/head.ts';
import { policyChecks } from '../../src/workers/review/checks/policies.ts';
import { probeSite } from '../../src/workers/review/probe-site.ts';
import { describePage } from '../../src/workers/review/describe-page.ts';
import { pointsWonBy } from '../../src/workers/review/lighthouse/performance-effect.ts';
import { mediansOf, mostTypical, spreadOf } from '../../src/workers/review/medians.ts';
import { completeScores, shareOf } from '../../src/workers/review/overall-score.ts';
import { measureReadability } from '../../src/workers/review/readability.ts';
import { languageTexts } from '../support/language-texts.ts';

const place = { selector: 'x', element: '<x>' };

/** A page that has nothing wrong, to be changed in one point by each test. */
const goodFacts: SiteFacts = {
  document: {
    url: 'https://example.com/page',
    headers: {
      'strict-transport-security': 'max-age=31536000',
      'content-security-policy':
        "script-src 'nonce-a1b2c3d4e5' 'strict-dynamic'; object-src 'none'; base-uri 'none'; frame-ancestors 'self'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    },
    certificate: { valid: true, issuer: 'An authority', expiresAt: new Date('2026-12-01') },
    cookies: [],
  },
  page: {
    url: 'https://example.com/page',
    titles: ['A page'],
    canonical: null,
    hasForms: true,
    descriptions: ['What stands on this page, in one sentence of a good length.'],
    lang: 'en',
    textLang: 'en',
    generator: null,
    referrerPolicy: null,
    metaPolicies: [],
    social: ['og:title', 'og:description', 'og:image'].map((property) => ({ property, content: 'x' })),
    headings: [{ ...place, level: 1, text: 'A page' }],
    images: [],
    links: [],
    deadFragments: [],
    scripts: [],
    plain: [],
    plainRequests: [],
    frames: [],
    passwordFields: [],
    language: 'en',
    words: 300,
    readability: { formula: 'Flesch', ease: 60 },
    jsonLd: [],
    tlsProtocol: 'TLS 1.3',
    cookies: [],
  },
  probes: {
    securityTxt: { status: 200, text: 'Contact: mailto:a@example.com\nExpires: 2030-01-01T00:00:00Z' },
    plainHttp: { finalUrl: 'https://example.com/page' },
    links: [],
    images: [],
    takesOldTls: false,
    neighbours: [],
  },
  now: new Date('2026-01-01'),
};

const all = [
  ...connectionChecks,
  ...policyChecks,
  ...cookieChecks,
  ...integrityChecks,
  ...headChecks,
  ...bodyChecks,
];
const link = { ...place, url: 'https://example.com/page', text: '', isHidden: false };
const script = { ...place, url: 'https://other.example/a.js', isStyle: false };
const image = { ...place, src: 'https://example.com/a.png', isHidden: false, isBroken: false };
const policyOf =
  (value: string) =>
  ({ document }: SiteFacts): void =>
    void (document.headers['content-security-policy'] = value);
const cookieOf =
  (line: string) =>
  ({ document }: SiteFacts): void =>
    void (document.cookies = parseSetCookies(line, 'example.com'));
const issuesOf = (change: (facts: SiteFacts) => void): string[] => {
  const facts = structuredClone(goodFacts);
  change(facts);
  return runChecks(all, facts).issues.map(({ id }) => id);
};

describe('our own checks', () => {
  test('find nothing on a good page', () => {
    expect(runChecks(all, goodFacts)).toMatchObject({ score: 100, issues: [] });
  });

  test.each<[string, (facts: SiteFacts) => void]>([
    ['no-https', ({ document }) => void (document.url = 'http://example.com/page')],
    ['tls-certificate-expiring', (facts) => void (facts.now = new Date('2026-11-25'))],
    ['tls-version-old', ({ page }) => void (page.tlsProtocol = 'TLS 1.1')],
    ['tls-version-old', ({ probes }) => void (probes.takesOldTls = true)],
    ['description-several', ({ page }) => void page.descriptions.push(...page.descriptions)],
    [
      'social-card-incomplete',
      ({ probes }) =>
        void probes.images.push({ url: 'https://example.com/x', reason: 'status 404', isBroken: true }),
    ],
    ['version-exposed', ({ document }) => void (document.headers['server'] = 'openresty-1.19.9')],
    ['version-exposed', ({ document }) => void (document.headers['x-powered-by'] = 'PHP7.4')],
    ['version-exposed', ({ document }) => void (document.headers['x-generator'] = 'v1.2')],
    ['http-not-redirected', ({ probes }) => void (probes.plainHttp = { finalUrl: 'http://example.com/' })],
    ['hsts-weak', ({ document }) => void (document.headers['strict-transport-security'] = 'max-age=60')],
    [
      'csp-weak',
      ({ document }) =>
        void (document.headers['content-security-policy'] += "; script-src-elem 'unsafe-inline' *"),
    ],
    ['csp-weak', policyOf("script-src * 'unsafe-inline'; frame-ancestors 'self'")],
    ['csp-weak', policyOf("default-src 'self' 'unsafe-inline'")],
    ['csp-weak', policyOf("default-src 'self' https:")],
    ['csp-weak', policyOf("default-src 'self'; script-src 'self' 'unsafe-eval'")],
    ['csp-weak', policyOf("default-src 'self'; script-src data:")],
    ['csp-weak', policyOf("img-src 'self'")],
    ['csp-missing', policyOf('')],
    ['framing-allowed', policyOf("default-src 'none'")],
    ['framing-allowed', policyOf("default-src 'none'; frame-ancestors *")],
    ['framing-allowed', policyOf("default-src 'none'; frame-ancestors https:")],
    ['hsts-missing', ({ document }) => void (document.headers['strict-transport-security'] = 'max-age=0')],
    ['hsts-missing', ({ document }) => void (document.headers['strict-transport-security'] = 'preload')],
    ['referrer-policy-missing', ({ document }) => void (document.headers['referrer-policy'] = 'unsafe-url')],
    ['referrer-policy-missing', ({ document }) => void (document.headers['referrer-policy'] = 'nonsense')],
    ['version-exposed', ({ document }) => void (document.headers['server'] = 'nginx/1.18.0')],
    ['version-exposed', ({ document }) => void (document.headers['x-powered-by'] = 'PHP/8.1.2-1ubuntu2.14')],
    ['version-exposed', ({ document }) => void (document.headers['x-aspnet-version'] = '4.0.30319')],
    ['cookie-not-secure', cookieOf('a=1; HttpOnly; SameSite=Lax')],
    [
      'cookie-not-secure',
      cookieOf('a=1; HttpOnly; SameSite=Lax; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT'),
    ],
    ['cookie-not-httponly', cookieOf('PHPSESSID=1; Secure; SameSite=Lax')],
    ['cookie-not-httponly', cookieOf('connect.sid=1; Secure; SameSite=Lax')],
    ['cookie-script-readable', cookieOf('theme=dark; Secure; SameSite=Lax')],
    ['cookie-no-samesite', cookieOf('a=1; Secure; HttpOnly')],
    ['cookie-no-samesite', cookieOf('a=1; Secure; HttpOnly; SameSite=Never')],
    ['cookie-no-samesite', cookieOf('a=1; Secure; HttpOnly; SameSite=none')],
    ['mixed-content', ({ page }) => void page.plainRequests.push('http://example.com/font.woff')],
    [
      'insecure-form',
      ({ page }) => void page.plain.push({ ...place, url: 'http://a.example/', isForm: true }),
    ],
    ['integrity-missing', ({ page }) => void page.scripts.push({ ...script, integrity: '' })],
    ['integrity-missing', ({ page }) => void page.scripts.push({ ...script, integrity: 'sha256-short' })],
    ['language-invalid', ({ page }) => void (page.lang = 'en_US')],
    ['language-invalid', ({ page }) => void (page.lang = 'english')],
    ['language-invalid', ({ page }) => void (page.lang = 'jp')],
    ['language-invalid', ({ page }) => void (page.lang = 'en-')],
    ['language-missing', ({ page }) => void (page.lang = ' ')],
    ['language-mismatch', ({ page }) => void (page.textLang = 'deu')],
    ['image-alternative-missing', ({ page }) => void page.images.push({ ...image, alt: null })],
    [
      'image-alternative-file-name',
      ({ page }) => void page.images.push({ ...image, alt: 'IMG_20240101_1.jpg' }),
    ],
    ['image-alternative-file-name', ({ page }) => void page.images.push({ ...image, alt: 'image' })],
    ['link-broken', ({ page }) => void page.links.push({ ...link, url: '', text: 'x' })],
    [
      'link-fragment-missing',
      ({ page }) => {
        page.links.push({ ...link, url: 'https://example.com/page#gone', text: 'x' });
        page.deadFragments.push({ ...place, url: 'https://example.com/page#gone' });
      },
    ],
    ['security-txt-missing', (facts) => void (facts.now = new Date('2031-01-01'))],
    ['version-exposed', ({ page }) => void (page.generator = 'WordPress 6.2')],
    ['title-length', ({ page }) => void (page.titles = ['word '.repeat(30)])],
    ['title-duplicate', ({ page }) => void (page.titles = ['A page', 'Another'])],
    [
      'title-duplicate',
      ({ probes }) => void probes.neighbours.push({ url: 'https://example.com/2', title: 'A page' }),
    ],
    ['description-length', ({ page }) => void (page.descriptions = ['Short.'])],
    ['language-missing', ({ page }) => void (page.lang = null)],
    ['language-mismatch', ({ page }) => void (page.language = 'fr')],
    ['language-mismatch', ({ page }) => void Object.assign(page, { textLang: 'pt', language: 'es' })],
    ['language-mismatch', ({ page }) => void Object.assign(page, { textLang: 'sv', language: 'da' })],
    ['link-empty', ({ page }) => void page.links.push(link)],
    ['h1-several', ({ page }) => void page.headings.push({ ...place, level: 1, text: 'Another' })],
    ['hard-to-read', ({ page }) => void (page.readability = { formula: 'Flesch', ease: 12 })],
    ['little-text', ({ page }) => void (page.words = 3)],
    [
      'image-broken',
      ({ page, probes }) => {
        page.images.push({
          ...place,
          src: 'https://example.com/a.png',
          alt: 'a',
          isHidden: false,
          isBroken: false,
        });
        probes.images.push({ url: 'https://example.com/a.png', reason: 'status 404', isBroken: true });
      },
    ],
  ])('find %s', (id, change) => {
    expect(issuesOf(change)).toContain(id);
  });

  test.each<[string, (facts: SiteFacts) => void]>([
    ['csp-weak', policyOf("default-src 'self'; frame-ancestors 'none'")],
    ['csp-weak', policyOf("default-src *, default-src 'self'; frame-ancestors 'none'")],
    ['version-exposed', ({ document }) => void (document.headers['server'] = 'AmazonS3')],
    ['version-exposed', ({ document }) => void (document.headers['server'] = 'ECS (dcb/7F83)')],
    ['cookie-not-httponly', cookieOf('csrftoken=1; Secure; SameSite=Lax')],
    ['cookie-script-readable', cookieOf('csrftoken=1; Secure; SameSite=Lax')],
    ['cookie-not-secure', cookieOf('session=; Path=/; Max-Age=0')],
    ['cookie-not-secure', cookieOf('session=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT')],
    ['language-mismatch', ({ page }) => void (page.textLang = 'eng')],
    ['language-mismatch', ({ page }) => void (page.textLang = 'mul')],
    ['language-mismatch', ({ page }) => void Object.assign(page, { textLang: 'gl', language: 'es' })],
    ['link-empty', ({ page }) => void page.links.push({ ...link, isHidden: true })],
    ...['zh-Hant-TW', 'kbp', 'cbk-zam', 'zh-min-nan', 'zh-yue-HK', 'und', 'sr-Latn'].map(
      (lang): [string, (facts: SiteFacts) => void] => [
        'language-invalid',
        ({ page }) => void (page.lang = lang),
      ],
    ),
    ['language-mismatch', ({ page }) => void Object.assign(page, { textLang: 'lld', language: 'it' })],
    ['image-alternative-missing', ({ page }) => void page.images.push({ ...image, alt: '' })],
    [
      'integrity-missing',
      ({ page }) => void page.scripts.push({ ...script, integrity: `sha384-${'a'.repeat(64)}` }),
    ],
    [
      'referrer-policy-missing',
      ({ document, page }) => {
        delete document.headers['referrer-policy'];
        page.referrerPolicy = 'same-origin';
      },
    ],
  ])('do not find %s where there is none', (id, change) => {
    expect(issuesOf(change)).not.toContain(id);
  });

  test('blame no link for what is ours, or for as many redirects as browsers follow', async () => {
    const failures: Record<string, ErrorCode> = {
      '/proxy': 'egress_proxy_failed',
      '/rules': 'url_not_allowed',
      '/credentials': 'invalid_request',
      '/gone': 'target_dns_failed',
    };
    const lease = {
      fetch: async ({ url }: { url: string }) => {
        const { pathname } = new URL(url);
        const code = failures[pathname];
        if (code !== undefined) throw new AppError(code, 'It failed.');
        if (pathname.startsWith('/.well-known')) throw new AppError('egress_proxy_failed', 'It failed.');
        const [, left] = /^\/hops(\d+)/.exec(pathname) ?? [];
        const location = Number(left ?? 0) > 0 ? { location: `/hops${Number(left) - 1}` } : {};
        const status = left !== undefined && Number(left) > 0 ? 302 : 200;
        return { status, url, headers: location, body: Buffer.alloc(0), timings: {} };
      },
    } as unknown as EgressLease;
    const { page } = structuredClone(goodFacts);
    page.links = [...Object.keys(failures), '/hops7', '/hops21'].map((path) => ({
      ...link,
      url: `https://elsewhere.example${path}`,
    }));
    const { links, securityTxt } = await probeSite(
      { url: 'https://example.com/page', page },
      { lease, signal: new AbortController().signal },
    );
    expect(links.map(({ url, isBroken }) => [new URL(url).pathname, isBroken])).toEqual([
      ['/gone', true],
      ['/hops7', false],
      ['/hops21', true],
    ]);
    expect(securityTxt).toBe(null);
  });

  test('leave a check out that does not apply', () => {
    const unasked = structuredClone(goodFacts);
    unasked.probes.securityTxt = null;
    const ofPolicies = runChecks(policyChecks, unasked);
    expect([...ofPolicies.issues, ...ofPolicies.passed].map(({ id }) => id)).not.toContain(
      'security-txt-missing',
    );
    const onHttp = structuredClone(goodFacts);
    onHttp.document.url = 'http://example.com/';
    const { issues, passed } = runChecks(connectionChecks, onHttp);
    const told = [...issues, ...passed].map(({ id }) => id);
    expect(told).toContain('no-https');
    expect(told).not.toContain('hsts-missing');
  });

  test('read cookies of an answer as browsers do', () => {
    const lines = 'sid=1; Path=/; secure; HttpOnly; SameSite=Lax\ntheme=dark; Domain=.example.com';
    expect(parseSetCookies(lines, 'www.example.com')).toEqual([
      { name: 'sid', domain: 'www.example.com', isSecure: true, isHttpOnly: true, sameSite: 'Lax' },
      { name: 'theme', domain: '.example.com', isSecure: false, isHttpOnly: false, sameSite: null },
    ]);
  });
});

describe('what the text of a page tells', () => {
  const {
    words: _,
    language: __,
    readability: ___,
    jsonLd: ____,
    cookies: _____,
    ...collected
  } = goodFacts.page;
  const describeText = (text: string, jsonLd: (string | null)[] = []) =>
    describePage(
      { ...collected, text, jsonLd: jsonLd.map((json) => ({ ...place, text: json })) },
      { cookies: [], tlsProtocol: null, plainRequests: [] },
    );

  test.each([
    'Laptop 15 inch, 16 GB RAM, 512 GB SSD, Intel Core i7, Windows 11 Pro, USB-C, HDMI, WLAN, Bluetooth 5.2, Webcam 1080p.',
    'Bayern 3 Dortmund 1 Leipzig 2 Leverkusen 2 Arsenal 4 Chelsea 0 Liverpool 1 Everton 1 Madrid 2 Barcelona 3 Juventus 0 Milan 2',
    'Hans Müller, Peter Schmidt, Klaus Weber, Jürgen Fischer, Contact, About us, Team, Karl Schneider, Friedrich Hoffmann, Stefan Schäfer, Members of the board',
  ])('is another language than declared only where it is prose: %s', (text) => {
    expect([null, 'en']).toContain(describeText(text).language);
  });

  test('is another language where it is prose', () => {
    const paragraphs = languageTexts['es']?.paragraphs ?? [];
    expect(describeText(paragraphs.join('\n')).language).toBe('es');
  });

  test('structured data may add to a node that is typed elsewhere, and what is too long is not judged', () => {
    const graph = (...nodes: object[]) => JSON.stringify({ '@context': 'x', '@graph': nodes });
    const { jsonLd } = describeText('', [
      graph({ '@id': '#a', name: 'A' }, { '@id': '#a', '@type': 'Person' }),
      graph({ '@id': '#a', name: 'A' }),
      null,
    ]);
    expect(jsonLd.map(({ problem }) => problem)).toEqual([null, 'an entry has no @type']);
  });
});

describe('scores', () => {
  test('the overall one leaves out what was not reviewed', () => {
    const scores = completeScores({ performance: 50, security: 100 });
    expect(scores).toMatchObject({ overall: 72.2, accessibility: null });
    expect(shareOf('performance', scores)).toBeCloseTo(25 / 45);
    expect(shareOf('content', scores)).toBe(0);
  });

  test('of a check falls by its weight', () => {
    const facts = structuredClone(goodFacts);
    facts.page.titles = [];
    const { score, issues } = runChecks(headChecks, facts);
    expect(issues).toHaveLength(1);
    expect(score).toBe(Math.round(100 - (issues[0]?.categoryEffect ?? 0)));
  });

  test('performance gains more by more saving, and never more than its weight', () => {
    const values = { FCP: 3_000, LCP: 6_000, TBT: 900, CLS: 0.3 };
    const gain = (LCP: number) => pointsWonBy({ LCP }, values, 'mobile');
    expect(gain(0)).toBe(0);
    expect(gain(2_000)).toBeGreaterThan(gain(1_000));
    expect(gain(100_000)).toBeLessThanOrEqual(25);
    // By definition 0.5 at the median and 0.9 at the tenth percentile.
    expect(pointsWonBy({ LCP: 1_500 }, { ...values, LCP: 4_000 }, 'mobile')).toBeCloseTo(25 * 0.4, 4);
  });
});

const run = (performance: number, lcpMs: number): ReviewRun => ({
  scores: completeScores({ performance }),
  metrics: { lcpMs, fcpMs: null, cls: 0, tbtMs: 0, speedIndexMs: 0, ttfbMs: 0 } satisfies ReviewMetrics,
  otherLoad: 0,
});

describe('several runs', () => {
  const runs = [run(90, 1_000), run(60, 3_000), run(80, 1_200)];

  test('come to their medians, with lowest and highest', () => {
    expect(mediansOf(runs, 'scores')).toMatchObject({ performance: 80, accessibility: null });
    expect(mediansOf(runs, 'metrics')).toMatchObject({ lcpMs: 1_200, fcpMs: null });
    expect(spreadOf(runs)).toMatchObject({
      scores: { performance: { lowest: 60, highest: 90 }, seo: null },
      metrics: { lcpMs: { lowest: 1_000, highest: 3_000 } },
    });
    expect(spreadOf(runs.slice(0, 1))).toBeNull();
    expect(mediansOf(runs.slice(0, 2), 'scores').performance).toBe(75);
    expect(mostTypical(runs, ({ scores }) => scores.performance)).toBe(runs[2]);
  });

  test('are no change where two reviews differ by less than their runs do', () => {
    const findings = (list: ReviewRun[]) => ({
      scores: mediansOf(list, 'scores'),
      metrics: mediansOf(list, 'metrics'),
      spread: spreadOf(list),
      scoring: { formula: '', weights: { performance: 25 } },
      issues: [],
      device: 'mobile' as const,
    });
    const before = { id: 'a', ...findings(runs) };
    const noisy = compareReviews(before, findings([run(70, 900), run(71, 900), run(95, 900)]));
    expect(noisy.scores.performance).toEqual({ before: 80, after: 71, change: -9, verdict: 'same' });
    const worse = compareReviews(before, findings([run(30, 9_000), run(31, 9_000), run(29, 9_000)]));
    expect(worse.worse).toEqual(expect.arrayContaining(['overall', 'performance', 'lcpMs']));
    expect(worse.metrics.fcpMs.verdict).toBe('unknown');
  });
});

describe('two reviews that are unlike', () => {
  const issueOf = (category: ReviewIssue['category'], id: string, evidenceTotal = 1): ReviewIssue => ({
    id,
    category,
    evidenceTotal,
    severity: 'serious',
    title: id,
    description: '',
    fix: '',
    evidence: [],
    learnMore: null,
    effect: 1,
  });
  const { scores, metrics } = run(50, 4_000);
  const onlyPerformance = {
    id: 'a',
    scores,
    metrics,
    spread: null,
    device: 'mobile' as 'mobile' | 'desktop',
    scoring: { formula: '', weights: { performance: 25 } } as StoredReview['scoring'],
    issues: [issueOf('performance', 'unused-javascript')],
  };
  const full = {
    ...onlyPerformance,
    id: 'b',
    scores: completeScores({ performance: 50, security: 20, content: 30 }),
    scoring: { formula: '', weights: { performance: 25, security: 20, content: 10 } },
    issues: [
      ...onlyPerformance.issues,
      issueOf('security', 'csp-missing'),
      issueOf('content', 'link-broken'),
    ],
  };
  const idsOf = (issues: { id: string }[]) => issues.map(({ id }) => id);

  test('are compared in what both have looked at', () => {
    const { better, worse, newIssues, goneIssues, ...compared } = compareReviews(full, onlyPerformance);
    expect({ better, worse, newIssues, goneIssues }).toEqual({
      better: [],
      worse: [],
      newIssues: [],
      goneIssues: [],
    });
    expect(compared.scores.overall).toMatchObject({ change: null, verdict: 'unknown' });
    expect(compared.scores.performance.verdict).toBe('same');
  });

  test('of two devices are not compared in what the device decides', () => {
    const desktop = {
      ...full,
      ...run(95, 900),
      scores: completeScores({ performance: 95, security: 40, content: 30 }),
      device: 'desktop' as const,
      issues: full.issues.slice(2),
    };
    const { better, goneIssues } = compareReviews(full, desktop);
    expect(better).toEqual(['security']);
    expect(idsOf(goneIssues)).toEqual(['csp-missing']);
  });

  test('tell of no issue of performance that chance has brought or taken', () => {
    const again = { ...full, issues: [issueOf('performance', 'speed-index'), ...full.issues.slice(1)] };
    expect(compareReviews(full, again)).toMatchObject({ newIssues: [], goneIssues: [] });
  });

  test('tell of an issue that stands at more places than before', () => {
    const grown = { ...full, issues: [issueOf('content', 'link-broken', 50)] };
    expect(compareReviews(full, grown).changedIssues).toEqual([
      { id: 'link-broken', category: 'content', title: 'link-broken', before: 1, after: 50 },
    ]);
  });
});

describe('reading ease', () => {
  const easy = 'The cat sat on the mat. The dog ran to the cat. It was a hot day in the sun.\n'.repeat(10);
  const hard =
    'Notwithstanding considerable institutional heterogeneity, contemporary administrative rationalisation necessitates comprehensive interdisciplinary reconceptualisation of organisational accountability.\n'.repeat(
      10,
    );

  test('is high for short words in short sentences, low for the opposite', () => {
    expect(measureReadability(easy, 'en')?.ease).toBeGreaterThan(90);
    expect(measureReadability(hard, 'en')?.ease).toBeLessThan(10);
  });

  test('is not told of short texts, of lists, and of languages without a formula', () => {
    expect(measureReadability('A short text.', 'en')).toBeNull();
    expect(measureReadability('one two three four\n'.repeat(100), 'en')).toBeNull();
    expect(measureReadability(easy, 'ja')).toBeNull();
  });
});
