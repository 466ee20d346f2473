import { describe, expect, test } from 'vitest';
import { compareReviews } from '../../src/api/reviews/compare-reviews.ts';
import type { ReviewMetrics, ReviewRun } from '../../src/shared/schemas/review.ts';
import { bodyChecks } from '../../src/workers/review/checks/body.ts';
import { runChecks, type SiteFacts } from '../../src/workers/review/checks/check.ts';
import { connectionChecks } from '../../src/workers/review/checks/connection.ts';
import { cookieChecks, parseSetCookies } from '../../src/workers/review/checks/cookies.ts';
import { headChecks } from '../../src/workers/review/checks/head.ts';
import { policyChecks } from '../../src/workers/review/checks/policies.ts';
import { pointsWonBy } from '../../src/workers/review/lighthouse/performance-effect.ts';
import { mediansOf, mostTypical, spreadOf } from '../../src/workers/review/medians.ts';
import { completeScores, shareOf } from '../../src/workers/review/overall-score.ts';
import { measureReadability } from '../../src/workers/review/readability.ts';

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
    descriptions: ['What stands on this page, in one sentence of a good length.'],
    lang: 'en',
    generator: null,
    metaPolicies: [],
    social: ['og:title', 'og:description', 'og:image'].map((property) => ({ property, content: 'x' })),
    headings: [{ ...place, level: 1, text: 'A page' }],
    images: [],
    links: [],
    scripts: [],
    plain: [],
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
    neighbours: [],
  },
  now: new Date('2026-01-01'),
};

const all = [...connectionChecks, ...policyChecks, ...cookieChecks, ...headChecks, ...bodyChecks];
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
    ['http-not-redirected', ({ probes }) => void (probes.plainHttp = { finalUrl: 'http://example.com/' })],
    ['hsts-weak', ({ document }) => void (document.headers['strict-transport-security'] = 'max-age=60')],
    [
      'csp-weak',
      ({ document }) =>
        void (document.headers['content-security-policy'] += "; script-src-elem 'unsafe-inline' *"),
    ],
    [
      'csp-weak',
      ({ document }) =>
        void (document.headers['content-security-policy'] =
          "script-src * 'unsafe-inline'; frame-ancestors 'self'"),
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

  test('leave a check out that does not apply', () => {
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
      issues: [],
    });
    const before = { id: 'a', ...findings(runs) };
    const noisy = compareReviews(before, findings([run(70, 900), run(71, 900), run(95, 900)]));
    expect(noisy.scores.performance).toEqual({ before: 80, after: 71, change: -9, verdict: 'same' });
    const worse = compareReviews(before, findings([run(30, 9_000), run(31, 9_000), run(29, 9_000)]));
    expect(worse.worse).toEqual(expect.arrayContaining(['overall', 'performance', 'lcpMs']));
    expect(worse.metrics.fcpMs.verdict).toBe('unknown');
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
