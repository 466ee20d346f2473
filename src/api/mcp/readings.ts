import type { DataOf, OutputOf } from '../../shared/operation.ts';
import type { convertMarkdown } from '../../shared/contracts/web/convert-markdown.ts';
import type { article } from '../../shared/contracts/video/article.ts';
import type { caption } from '../../shared/contracts/video/caption.ts';
import type { videoSummary } from '../../shared/contracts/video/summary.ts';
import type { extract } from '../../shared/contracts/web/extract.ts';
import type { review } from '../../shared/contracts/web/review.ts';
import type { scrape } from '../../shared/contracts/web/scrape.ts';
import type { scrapeLinksMap } from '../../shared/contracts/web/scrape-links-map.ts';
import type { summarizeUrl } from '../../shared/contracts/web/summarize-url.ts';

/** A result as a text that a model reads. */
type Read<Data> = (data: Data) => string;

const listOf = (items: readonly string[]) => items.map((item) => `- ${item}`).join('\n');
const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/** `heading` and its text, or nothing where there is no text. */
const part = (heading: string, text: string) => (text === '' ? [] : [`## ${heading}\n\n${text}`]);

const json = (data: unknown) => JSON.stringify(data, null, 1);

const headOf = ({ title, finalUrl }: { title: string | null; finalUrl: string }) =>
  `Title: ${title === null ? 'none' : oneLine(title)}\nURL: ${finalUrl}`;

const readMarkdown: Read<OutputOf<typeof convertMarkdown>> = (page) => `${headOf(page)}\n\n${page.markdown}`;

const readExtract: Read<OutputOf<typeof extract>> = (page) => `${headOf(page)}\n\n${page.text}`;

const readScrape: Read<OutputOf<typeof scrape>> = ({ html, text, links, metadata, ...facts }) => {
  const { title, finalUrl, statusCode, contentType, blocked } = facts;
  return [
    ...part('Metadata', json({ title, finalUrl, statusCode, contentType, blocked, ...metadata })),
    ...part('Links', listOf((links ?? []).map(({ url, anchor }) => `${url} ${oneLine(anchor)}`.trim()))),
    ...part('Text', text ?? ''),
    ...part('HTML', html ?? ''),
  ].join('\n\n');
};

const readMap: Read<OutputOf<typeof scrapeLinksMap>> = ({ nodes }) =>
  nodes.map(({ url, title }) => `- ${url}${title === null ? '' : ` ${oneLine(title)}`}`).join('\n');

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(whole / 3_600)}:${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
}

type Summary = Pick<OutputOf<typeof summarizeUrl>, 'summary' | 'keyPoints' | 'topics' | 'citations'>;

const readSummary: Read<Summary> = ({ summary, keyPoints, topics, citations }) =>
  [
    summary,
    ...part('Key points', listOf(keyPoints)),
    ...part('Topics', topics.join(', ')),
    ...part('Quotes', listOf(citations.map(({ claim, quote }) => `${claim} “${oneLine(quote)}”`))),
  ].join('\n\n');

const readVideoSummary: Read<OutputOf<typeof videoSummary>> = ({ moments, ...rest }) => {
  const told = moments.map(({ startSeconds, title, summary }) =>
    [`[${clock(startSeconds)}]`, title, summary].filter((it) => it !== null).join(' '),
  );
  return [readSummary(rest), ...part('Moments', listOf(told))].join('\n\n');
};

/** A paragraph for about half a minute, with where it begins. */
const paragraphSeconds = 30;

const readCaption: Read<DataOf<typeof caption>> = ({ segments }) => {
  const paragraphs: { start: number; texts: string[] }[] = [];
  for (const { startSeconds, text } of segments) {
    const last = paragraphs.at(-1);
    if (last !== undefined && startSeconds - last.start < paragraphSeconds) last.texts.push(oneLine(text));
    else paragraphs.push({ start: startSeconds, texts: [oneLine(text)] });
  }
  return paragraphs.map(({ start, texts }) => `[${clock(start)}] ${texts.join(' ')}`).join('\n\n');
};

const figures = (values: Readonly<Record<string, number | null>>) =>
  listOf(Object.entries(values).map(([name, value]) => `${name}: ${value ?? 'unknown'}`));

/** Of an issue: where it was found. */
const placesShown = 3;

const readReview: Read<DataOf<typeof review>> = ({ finalUrl, scores, metrics, issues, narrative }) =>
  [
    `URL: ${finalUrl ?? 'unknown'}`,
    ...part('Scores of 100', figures(scores ?? {})),
    ...part('Metrics', figures(metrics ?? {})),
    ...part('In short', narrative?.text ?? ''),
    ...(issues ?? []).flatMap(({ title, category, severity, description, fix, evidence, evidenceTotal }) => {
      const places = evidence
        .slice(0, placesShown)
        .map((one) => oneLine([one.selector ?? one.url, one.value].filter((it) => it !== null).join(': ')))
        .filter((place) => place !== '');
      const found = places.length === 0 ? '' : `\n\nFound ${evidenceTotal} times:\n${listOf(places)}`;
      return part(oneLine(title), `${category}, ${severity}. ${description}\n\nWhat to do: ${fix}${found}`);
    }),
  ].join('\n\n');

const readArticle: Read<OutputOf<typeof article>> = ({ markdown }) => markdown;

/** By operation; what has none is read as its JSON. Results fit their contracts, so each gets what it reads. */
const readers: Readonly<Record<string, Read<never>>> = {
  'web.convert-markdown': readMarkdown,
  'web.extract': readExtract,
  'web.scrape': readScrape,
  'web.scrape-links-map': readMap,
  'web.summarize-url': readSummary,
  'web.review': readReview,
  'video.caption': readCaption,
  'video.summary': readVideoSummary,
  'video.summary-custom': readVideoSummary,
  'video.article': readArticle,
};

export function readResult(operation: string, data: unknown): string {
  const read = readers[operation] ?? json;
  return read(data as never);
}
