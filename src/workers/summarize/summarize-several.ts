import { generateObject } from '../ai/generate-object.ts';
import { type Model, noTokens, type TokenUsage } from '../ai/model.ts';
import { toSentenceText } from './join-sentences.ts';
import { mergeSummaries, outputTokens, chunkCharacters } from './merge-summaries.ts';
import { sitePrompt, answerTokens, type Wishes, writtenSite } from './prompts.ts';
import type { SummaryTools } from './job-tools.ts';
import type { TextSummary } from './summarize-text.ts';

/** A text that is summarised already. */
export interface SummarizedText {
  url: string;
  title: string | null;
  language: string | null;
  summary: string;
  keyPoints: readonly string[];
  topics: readonly string[];
  citations: readonly { claim: string; quote: string }[];
  truncated: boolean;
}

export interface CombinedSummary extends Omit<TextSummary, 'citations'> {
  citations: { claim: string; quote: string; url: string }[];
}

/**
 * Summarises what several texts say together. Its usage is that of the merging alone.
 * @param texts at least one.
 */
export async function combineSummaries(
  model: Model,
  texts: readonly SummarizedText[],
  wishes: Wishes,
  tools: SummaryTools,
): Promise<CombinedSummary> {
  const quoted = texts.flatMap(({ url, citations }) => citations.map((each) => ({ ...each, url })));
  const [first, ...others] = texts;
  if (first !== undefined && others.length === 0) {
    const { summary, keyPoints, topics, truncated } = first;
    return {
      summary,
      keyPoints: [...keyPoints],
      topics: [...topics],
      citations: quoted,
      usage: null,
      truncated,
    };
  }
  if (model.kind === 'extractive') {
    const { sentences, keyPoints, topics, truncated } = await tools.work.extract({
      document: {
        title: texts.map(({ title }) => title ?? '').join('. '),
        language: texts[0]?.language ?? null,
        blocks: texts.flatMap(({ summary, keyPoints: points }) =>
          [summary, ...points].map((text) => ({ text })),
        ),
      },
      length: wishes.length,
      focus: wishes.focus,
    });
    const said = new Set([...sentences, ...keyPoints].map(({ text }) => text));
    return {
      summary: toSentenceText(sentences, texts[0]?.language ?? null),
      keyPoints: keyPoints.map(({ text }) => text),
      topics,
      citations: quoted.filter(({ claim }) => said.has(claim)),
      usage: null,
      truncated,
    };
  }
  const parts = texts.map(({ title, summary, keyPoints, citations }) => ({
    summary: title === null ? summary : `${title}: ${summary}`,
    points: keyPoints.map((point) => ({
      point,
      quote: citations.find(({ claim }) => claim === point)?.quote ?? '',
    })),
    topics: [],
    usage: noTokens,
  }));
  const request = { name: 'together', title: null, wishes, ofOneText: false };
  const merged = await mergeSummaries(model, parts, request, tools);
  const points = new Set(merged.points.map(({ point }) => point));
  return {
    summary: merged.summary,
    keyPoints: [...points],
    topics: merged.topics,
    citations: quoted.filter(({ claim }) => points.has(claim)),
    usage: merged.usage,
    truncated: false,
  };
}

export interface SiteSummary {
  summary: string;
  purpose: string | null;
  audience: string | null;
  topics: string[];
  usage: TokenUsage | null;
}

export interface SummarizedPage {
  title: string | null;
  language: string | null;
  summary: string;
}

/** Summarises a site by the summaries of its pages. @param pages at least one. */
export async function summarizeSite(
  model: Model,
  { title, pages, wishes }: { title: string | null; pages: readonly SummarizedPage[]; wishes: Wishes },
  tools: SummaryTools,
): Promise<SiteSummary> {
  const language = pages[0]?.language ?? null;
  if (model.kind === 'extractive') {
    const document = { title, language, blocks: pages.map(({ summary }) => ({ text: summary })) };
    const { sentences, topics } = await tools.work.extract({
      document,
      length: wishes.length,
      focus: wishes.focus,
    });
    return {
      summary: toSentenceText(sentences, language),
      purpose: null,
      audience: null,
      topics,
      usage: null,
    };
  }
  return await tools.step('site', async () => {
    const each = Math.floor(chunkCharacters(model, wishes.length) / pages.length);
    const lines = pages.map((page) => `${page.title ?? 'Untitled'}: ${page.summary}`.slice(0, each));
    const { object, usage } = await generateObject(model, {
      ...sitePrompt(wishes, { title, pages: lines }),
      schema: writtenSite,
      maxOutputTokens: outputTokens(model, answerTokens[wishes.length]),
      signal: tools.signal,
    });
    return { ...object, usage };
  });
}
