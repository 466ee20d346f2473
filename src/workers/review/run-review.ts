import { reviewScreenshotFile, type ReviewCategory, type StoredReview } from '../../shared/schemas/review.ts';
import { gather } from '../../shared/files/chunks.ts';
import type { EgressLease, EgressLeaseOptions } from '../../shared/egress/types.ts';
import type { JobContext } from '../handler.ts';
import { type PageReader, readingOf } from '../page/page-reader.ts';
import type { Frame, LighthouseRun, MeasuredIssue, PassedCheck } from './lighthouse/messages.ts';
import type { Lighthouse } from './lighthouse/run-lighthouse.ts';
import { mostTypical } from './medians.ts';
import { findTitle } from './page-facts.ts';
import { arriveAt, checkPage, isLighthouse, type PageQuestion } from './review-page.ts';

/** What of a worker's tools reviews pages. */
export interface ReviewingTools {
  openLease(options: EgressLeaseOptions): EgressLease;
  readonly pageReader: PageReader;
  readonly lighthouse: Lighthouse;
}

/** A run as its step keeps it: pictures are files. */
export interface KeptRun extends Omit<LighthouseRun, 'filmstrip'> {
  otherLoad: number | null;
  statusCode: number;
  title: string | null;
  screenshot: StoredReview['screenshot'];
  /** Past the bound of what a page may ask for; steps of before it have none. */
  droppedRequests?: number;
  /** Steps of before it have none. */
  hasEndedScripts?: boolean;
}

/** What our own checks have found; null where none was asked for, or the page could not be read after it was measured. */
export type OwnFindings = {
  scores: Partial<Record<ReviewCategory, number | null>>;
  issues: MeasuredIssue[];
  passed: PassedCheck[];
} | null;

interface MeasuredRun {
  run: KeptRun;
  own: OwnFindings;
}

export interface MeasuredReview {
  runs: KeptRun[];
  own: OwnFindings;
}

const filmstripFile = (version: number) => `filmstrip-${version}.json`;
const screenshotOf = (number: number) => (number === 1 ? reviewScreenshotFile : null);

/**
 * Measures the page as often as was asked for and checks it once. Each run stands in a step: a worker that dies repeats
 * one of them at most.
 */
export async function runReview(
  question: PageQuestion & { runs: number },
  job: JobContext,
  tools: ReviewingTools,
): Promise<MeasuredReview> {
  const runs: KeptRun[] = [];
  let own: OwnFindings = null;
  for (let number = 1; number <= question.runs; number++) {
    const note = question.runs === 1 ? 'measuring' : `run ${number} of ${question.runs}`;
    await job.progress(number - 1, question.runs, note);
    const wantsChecks = own === null && wantsOwnChecks(question.categories);
    const step: MeasuredRun = await job.step(`run ${number}`, () =>
      runOnce(question, { number, wantsChecks }, { job, tools }),
    );
    runs.push(step.run);
    own ??= step.own;
  }
  return { runs, own };
}

export const wantsOwnChecks = (categories: readonly ReviewCategory[]): boolean =>
  categories.some((name) => !isLighthouse(name));

async function runOnce(
  question: PageQuestion,
  { number, wantsChecks }: { number: number; wantsChecks: boolean },
  { job, tools }: { job: JobContext; tools: ReviewingTools },
): Promise<MeasuredRun> {
  const { signal } = job;
  const { openLease, pageReader } = tools;
  const way = { openLease, pageReader, ...readingOf(job) };
  const arrival = await arriveAt(question, way);
  // Lighthouse may load it twice.
  await using lease = tools.openLease({ signal, verifyTls: question.verifyTls, maxProxyRequests: 1_000 });
  const measured = await tools.lighthouse
    .measure(
      {
        ...question,
        categories: question.categories.filter(isLighthouse),
        checksSecurity: question.categories.includes('security'),
        timeoutMs: question.timeout,
      },
      { lease, signal },
    )
    .catch((error: unknown) => {
      // The door knows more than Chromium, which sees only that its proxy refused.
      throw lease.failureOf(question.url) ?? error;
    });
  const { run, page, otherLoad, hasEndedScripts } = measured;
  const own =
    wantsChecks && page !== null
      ? await checkPage(question, { arrival, page, finalUrl: run.finalUrl }, way)
      : null;
  const screenshot = await keepScreenshot(measured.screenshot, screenshotOf(number), job);
  const { filmstrip, ...kept } = run;
  await job.files.write(filmstripFile(number), 'application/json', Buffer.from(JSON.stringify(filmstrip)));
  const title = page === null ? null : findTitle(page);
  const { droppedRequests } = lease;
  const notes = {
    otherLoad,
    statusCode: arrival.status,
    title,
    screenshot,
    droppedRequests,
    hasEndedScripts,
  };
  return { run: { ...kept, ...notes }, own };
}

async function keepScreenshot(
  taken: { jpeg: Uint8Array; width: number; height: number } | null,
  name: string | null,
  job: JobContext,
): Promise<StoredReview['screenshot']> {
  if (taken === null || name === null) return null;
  const { sizeBytes, sha256 } = await job.files.write(name, 'image/jpeg', taken.jpeg);
  return { width: taken.width, height: taken.height, bytes: sizeBytes, sha256 };
}

/** The number of the run that details are told of, from 1. */
export function typicalRun(runs: readonly KeptRun[]): number {
  return runs.indexOf(mostTypical(runs, ({ scores }) => scores.performance ?? null)) + 1;
}

/** The pictures of the load, of the typical run, and of the page at its end. */
export async function readFilmstrip(
  { typical, screenshot }: { typical: number; screenshot: StoredReview['screenshot'] },
  job: JobContext,
): Promise<{ filmstrip: Frame[]; picture: Buffer | null }> {
  const filmstrip = JSON.parse((await gather(job.files.read(filmstripFile(typical)))).toString()) as Frame[];
  const picture = screenshot === null ? null : await gather(job.files.read(reviewScreenshotFile));
  return { filmstrip, picture };
}
