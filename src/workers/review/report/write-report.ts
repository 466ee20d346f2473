import type { Warning } from '../../../shared/schemas/job.ts';
import type { ReviewIssue, ReviewScores, StoredReview } from '../../../shared/schemas/review.ts';
import { categoryNames } from '../category-names.ts';
import type { Frame } from '../lighthouse/messages.ts';
import { type Html, html, join } from './html.ts';
import { styles } from './styles.ts';

export interface ReportParts {
  record: StoredReview;
  url: string;
  device: string;
  reviewedAt: Date;
  warnings: readonly Warning[];
  filmstrip: readonly Frame[];
  /** JPEG of the page at the end of its load. */
  picture: Buffer | null;
}

/** The review as a page of its own: no script, nothing that is loaded from elsewhere. */
export function writeReport(parts: ReportParts): string {
  const { record, url, device, reviewedAt, warnings } = parts;
  const day = reviewedAt.toISOString().slice(0, 16).replace('T', ' ');
  const runs = record.runs.length === 1 ? 'one run' : `medians of ${record.runs.length} runs`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Review of ${record.finalUrl}</title>
        <style>
          ${styles}
        </style>
      </head>
      <body>
        <header>
          <p class="kind">Website review</p>
          <h1>${record.title ?? record.finalUrl}</h1>
          <p class="facts"><a href="${record.finalUrl}">${record.finalUrl}</a></p>
          <p class="facts">
            ${day} UTC · ${device} · ${runs} · ${record.tool.name}
            ${record.tool.version}${url === record.finalUrl ? '' : html` · asked as ${url}`}
          </p>
        </header>
        <main>
          ${warningList(warnings)} ${scoreSection(record.scores)} ${metricSection(record)}
          ${pictureSection(parts)} ${narrativeSection(record)} ${issueSection(record.issues)}
          ${passedSection(record.passed)} ${scoringSection(record)}
        </main>
      </body>
    </html> `.text;
}

function warningList(warnings: readonly Warning[]): Html {
  if (warnings.length === 0) return html``;
  return html`<ul class="warnings">
    ${join(warnings.map(({ message }) => html`<li>${message}</li>`))}
  </ul>`;
}

const gradeOf = (score: number | null) =>
  score === null ? 'none' : score >= 90 ? 'good' : score >= 50 ? 'fair' : 'poor';
const gradeNames = { none: 'not reviewed', good: 'good', fair: 'needs work', poor: 'poor' } as const;

function scoreSection({ overall, ...scores }: ReviewScores): Html {
  const card = (name: string, score: number | null, size: string) =>
    html`<li class="score ${gradeOf(score)} ${size}">
      <span class="ring" style="--share:${score ?? 0}"
        ><b>${score === null ? '–' : Math.round(score)}</b></span
      >
      <span class="name">${name}</span><span class="grade">${gradeNames[gradeOf(score)]}</span>
    </li>`;
  const cards = Object.entries(scores)
    .filter(([, score]) => score !== null)
    .map(([name, score]) => card(categoryNames[name as keyof typeof categoryNames], score, ''));
  return html`<section>
    <h2>Scores</h2>
    <ul class="scores">
      ${card('Overall', overall, 'large')}${join(cards)}
    </ul>
  </section>`;
}

type MetricName = keyof StoredReview['metrics'];

/** Where a metric is good and where it is poor: web.dev's bounds, Lighthouse's for TBT and Speed Index. */
const metricTexts: Record<MetricName, { name: string; good: number; poor: number }> = {
  lcpMs: { name: 'Largest Contentful Paint', good: 2_500, poor: 4_000 },
  fcpMs: { name: 'First Contentful Paint', good: 1_800, poor: 3_000 },
  tbtMs: { name: 'Total Blocking Time', good: 200, poor: 600 },
  cls: { name: 'Cumulative Layout Shift', good: 0.1, poor: 0.25 },
  speedIndexMs: { name: 'Speed Index', good: 3_400, poor: 5_800 },
  ttfbMs: { name: 'Time to First Byte', good: 800, poor: 1_800 },
};

function formatMetric(name: MetricName, value: number): string {
  if (name === 'cls') return value.toFixed(3);
  return value >= 1_000 ? `${(value / 1_000).toFixed(1)} s` : `${Math.round(value)} ms`;
}

function metricSection({ metrics, spread }: StoredReview): Html {
  const rows = (Object.keys(metricTexts) as MetricName[]).flatMap((name) => {
    const value = metrics[name];
    if (value === null) return [];
    const { name: text, good, poor } = metricTexts[name];
    const grade = value <= good ? 'good' : value <= poor ? 'fair' : 'poor';
    const range = spread?.metrics[name];
    const width = range
      ? html`<span class="range"
          >${formatMetric(name, range.lowest)} to ${formatMetric(name, range.highest)}</span
        >`
      : html``;
    return [
      html`<li class="${grade}">
        <span class="name">${text}</span><b>${formatMetric(name, value)}</b>${width}
      </li>`,
    ];
  });
  if (rows.length === 0) return html``;
  return html`<section>
    <h2>Metrics</h2>
    <ul class="metrics">
      ${join(rows)}
    </ul>
  </section>`;
}

function pictureSection({ filmstrip, picture, device }: ReportParts): Html {
  if (filmstrip.length === 0 && picture === null) return html``;
  const frames = filmstrip.map(
    ({ atMs, image }) =>
      html`<li>
        <img src="${image}" alt="The page after ${(atMs / 1_000).toFixed(1)} s" /><span
          >${(atMs / 1_000).toFixed(1)} s</span
        >
      </li>`,
  );
  const shot =
    picture === null
      ? html``
      : html`<img
          class="shot ${device}"
          src="data:image/jpeg;base64,${picture.toString('base64')}"
          alt="The page as it was measured"
        />`;
  return html`<section class="pictures">
    <h2>How it loads</h2>
    <ol class="filmstrip">
      ${join(frames)}
    </ol>
    ${shot}
  </section>`;
}

function narrativeSection({ narrative }: StoredReview): Html {
  if (narrative === null) return html``;
  const paragraphs = narrative.text.split('\n\n').map((text) => html`<p>${text}</p>`);
  return html`<section class="narrative">
    <h2>In words</h2>
    ${join(paragraphs)}
    <p class="facts">Written by ${narrative.model}</p>
  </section>`;
}

function issueSection(issues: readonly ReviewIssue[]): Html {
  const list = issues.map(
    ({ title, severity, category, effect, description, fix, evidence, evidenceTotal, learnMore }) =>
      html`<li class="issue ${severity}">
        <h3>${title}</h3>
        <p class="tags">
          <span class="severity">${severity}</span>
          <span>${categoryNames[category]}</span
          >${effect > 0 ? html` <span>${effect} points of the overall score</span>` : html``}
        </p>
        <p>${description}</p>
        <p class="fix">
          <b>What to do:</b>
          ${fix}${learnMore === null ? html`` : html` <a href="${learnMore}">More about it</a>`}
        </p>
        ${evidenceList(evidence, evidenceTotal)}
      </li>`,
  );
  const none = html`<p>No issue was found.</p>`;
  return html`<section>
    <h2>Issues in order of effect <span class="count">${issues.length}</span></h2>
    ${
      list.length === 0
        ? none
        : html`<ol class="issues">
            ${join(list)}
          </ol>`
    }
  </section>`;
}

function evidenceList(evidence: ReviewIssue['evidence'], total: number): Html {
  if (evidence.length === 0) return html``;
  const rows = evidence.map(
    ({ element, selector, url, value }) =>
      html`<li>
        ${value === null ? html`` : html`<span>${value}</span>`}${url === null ? html`` : html`<span class="url">${url}</span>`}${element === null ? html`` : html`<code>${element}</code>`}${selector === null || element !== null ? html`` : html`<code>${selector}</code>`}
      </li>`,
  );
  const more =
    total > evidence.length ? html`<li class="more">and ${total - evidence.length} more</li>` : html``;
  return html`<ul class="evidence">
    ${join(rows)}${more}
  </ul>`;
}

function passedSection(passed: StoredReview['passed']): Html {
  const byCategory = Map.groupBy(passed, ({ category }) => category);
  const groups = [...byCategory].map(
    ([category, checks]) =>
      html`<div>
        <h3>${categoryNames[category]} <span class="count">${checks.length}</span></h3>
        <ul>
          ${join(checks.map(({ title }) => html`<li>${title}</li>`))}
        </ul>
      </div>`,
  );
  return html`<section class="passed">
    <h2>Checks that found nothing <span class="count">${passed.length}</span></h2>
    <div class="groups">${join(groups)}</div>
  </section>`;
}

function scoringSection({ scoring }: StoredReview): Html {
  const weights = Object.entries(scoring.weights).map(
    ([name, weight]) => `${categoryNames[name as keyof typeof categoryNames]} ${weight}`,
  );
  return html`<footer>
    <h2>How the overall score is made</h2>
    <p>${scoring.formula}</p>
    <p>Weights: ${weights.join(', ')}.</p>
  </footer>`;
}
