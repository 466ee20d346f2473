import type { EgressLease, EgressLeaseOptions } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import type { ReviewCategory } from '../../shared/schemas/review.ts';
import type { PageQuery } from '../../shared/schemas/page-options.ts';
import type { BlockedBy } from '../../shared/schemas/scraped-page.ts';
import { orWithCookies, scannedCharacters, targetBlocked } from '../page/fetch/challenge.ts';
import { type FetchedPage, fetchPage } from '../page/fetch/fetch-page.ts';
import type { PageReader, Reading } from '../page/page-reader.ts';
import type { PageRequest } from '../page/page-request.ts';
import { readCertificate } from '../url/check-alive.ts';
import { withoutFragment } from '../addresses/without-fragment.ts';
import { bodyChecks } from './checks/body.ts';
import { type Checked, runChecks, type SiteFacts } from './checks/check.ts';
import { connectionChecks } from './checks/connection.ts';
import { cookieChecks, parseSetCookies } from './checks/cookies.ts';
import { headChecks } from './checks/head.ts';
import { integrityChecks } from './checks/integrity.ts';
import { policyChecks } from './checks/policies.ts';
import type {
  LighthouseCategory,
  MeasuredIssue,
  MeasureRequest,
  PassedCheck,
} from './lighthouse/messages.ts';
import { lighthouseCategories } from './lighthouse/messages.ts';
import type { CookieFacts, PageFacts } from './page-facts.ts';
import { probeSite } from './probe-site.ts';

const ownChecks = {
  security: [...connectionChecks, ...policyChecks, ...cookieChecks, ...integrityChecks],
  content: [...headChecks, ...bodyChecks],
} as const;

export interface PageQuestion
  extends PageRequest, Pick<PageQuery, 'timeout'>, Pick<MeasureRequest, 'device'> {
  categories: readonly ReviewCategory[];
}

interface Way extends Reading {
  openLease(options: EgressLeaseOptions): EgressLease;
  readonly pageReader: Pick<PageReader, 'decode' | 'analyze'>;
}

type WayOut = Pick<Way, 'openLease' | 'signal'>;

/** The answer that the page comes in, before a browser is started for it. */
export interface Arrival extends Pick<SiteFacts['document'], 'url' | 'headers' | 'certificate'> {
  status: number;
}

export const isLighthouse = (category: ReviewCategory): category is LighthouseCategory =>
  category in lighthouseCategories;

/**
 * Asks for the page as a reader would: what cannot be reviewed is told in a moment, where a browser takes half a minute.
 * @throws AppError the codes of a target; for an error status `target_blocked` or `unsupported_content`, which is for what is
 * no HTML too.
 */
export async function arriveAt(question: PageQuestion, way: Way): Promise<Arrival> {
  const { url, headers, cookies, userAgent, locale, verifyTls, device } = question;
  const { signal } = way;
  await using lease = way.openLease({ signal, verifyTls, byteBudget: 20 * 1024 ** 2 });
  const mobile = device === 'mobile';
  const page = await fetchPage(lease, {
    url,
    headers,
    cookies,
    userAgent,
    locale,
    mobile,
    signal,
    timeoutMs: question.timeout,
  });
  if (page.status >= 400) {
    const blocked = await findBlocked(page, way);
    if (blocked !== null) throw targetBlocked(blocked, orWithCookies);
    throw new AppError(
      'unsupported_content',
      `The target answers with status ${page.status}: there is no page to review. Give the address of a page that is there, with \`headers\` or \`cookies\` where it needs them.`,
    );
  }
  if (page.kind !== 'html') {
    throw new AppError(
      'unsupported_content',
      `The target is no HTML page (${page.contentType ?? 'no content type'}): only pages can be reviewed.`,
    );
  }
  return { url: page.url, status: page.status, headers: page.headers, certificate: page.certificate };
}

/** Of what is too large to be read it is not known: its status tells enough. */
async function findBlocked(page: FetchedPage, { pageReader, signal, owner }: Way): Promise<BlockedBy> {
  const { url, status, headers, body, kind } = page;
  if (kind !== 'html') return null;
  const reading = { signal, owner };
  const sent = { body, contentType: headers['content-type'] ?? '', kind };
  try {
    const { text, charset } = await pageReader.decode(sent, reading);
    const html = text.slice(0, scannedCharacters);
    const read = { html, url, requestedUrl: url, status, headers, engine: 'http', charset } as const;
    return (await pageReader.analyze(read, reading)).blocked;
  } catch (error) {
    if (error instanceof AppError && error.code === 'target_too_large') return null;
    throw error;
  }
}

/** Our own checks of security and content. */
export async function checkPage(
  question: PageQuestion,
  { arrival, page, finalUrl }: { arrival: Arrival; page: PageFacts; finalUrl: string },
  way: Way,
): Promise<{ scores: Partial<Record<ReviewCategory, number | null>> } & Omit<Checked, 'score'>> {
  const { openLease, signal } = way;
  await using lease = openLease({ signal, verifyTls: question.verifyTls, byteBudget: 20 * 1024 ** 2 });
  const url = finalUrl;
  const [probes, takesOldTls, document] = await Promise.all([
    probeSite({ url, page }, { lease, signal }),
    findOldTls(url, { openLease, signal }),
    documentAt(url, { question, arrival }, way),
  ]);
  const certificate = document.certificate ?? (await certificateOf(url, { openLease, signal }));
  const cookies = parseSetCookies(document.headers['set-cookie'], new URL(document.url).hostname);
  const facts: SiteFacts = {
    document: { url, headers: document.headers, certificate, cookies },
    page: { ...page, cookies: page.cookies.filter((cookie) => !isOfRequest(cookie, question)) },
    probes: { ...probes, takesOldTls },
    now: new Date(),
  };
  const scores: Partial<Record<ReviewCategory, number | null>> = {};
  const issues: MeasuredIssue[] = [];
  const passed: PassedCheck[] = [];
  for (const category of ['security', 'content'] as const) {
    if (!question.categories.includes(category)) continue;
    const checked = runChecks(ownChecks[category], facts);
    scores[category] = checked.score;
    issues.push(...checked.issues);
    passed.push(...checked.passed);
  }
  return { scores, issues, passed };
}

/** The answer that the page stands in: another one than it came in where a script or `<meta>` has led on. */
async function documentAt(
  finalUrl: string,
  { question, arrival }: { question: PageQuestion; arrival: Arrival },
  way: Way,
): Promise<Arrival> {
  if (withoutFragment(finalUrl) === withoutFragment(arrival.url)) return arrival;
  const isSameOrigin = new URL(finalUrl).origin === new URL(question.url).origin;
  const secrets = isSameOrigin ? {} : { headers: {}, cookies: {} };
  try {
    return await arriveAt({ ...question, ...secrets, url: finalUrl }, way);
  } catch (error) {
    way.signal.throwIfAborted();
    // An address that only a script of the page knows.
    if (error instanceof AppError) return arrival;
    throw error;
  }
}

/** The browser's jar has the cookies of the request too; what the site has set over them has attributes of its own. */
const isOfRequest = ({ name, isHttpOnly, sameSite }: CookieFacts, { cookies = {} }: PageQuestion): boolean =>
  Object.hasOwn(cookies, name) && !isHttpOnly && sameSite === null;

async function findOldTls(url: string, { openLease, signal }: WayOut): Promise<boolean | null> {
  if (!url.startsWith('https:')) return null;
  await using lease = openLease({ signal, verifyTls: false, oldTls: true });
  try {
    await lease.fetch({ url, timeoutMs: 5_000, redirect: 'manual', readBody: () => false, signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof AppError && error.code === 'target_tls_failed' ? false : null;
  }
}

async function certificateOf(url: string, { openLease, signal }: WayOut) {
  if (!url.startsWith('https:')) return null;
  await using lease = openLease({ signal, verifyTls: false });
  return await readCertificate(lease, url, { timeoutMs: 5_000, signal });
}
