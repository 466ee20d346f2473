import { AppError } from '../../shared/errors.ts';
import { generateObject } from '../ai/generate-object.ts';
import type { GenerativeModel, Model, TokenUsage } from '../ai/model.ts';
import type { SummaryDocument, TextBlock } from './document.ts';
import type { SummaryLength } from './extractive/extract-summary.ts';
import type { SummaryTools } from './job-tools.ts';
import { toSentenceText } from './join-sentences.ts';
import { mapAtOnce } from '../../shared/map-at-once.ts';
import {
  mergeSummaries,
  outputTokens,
  chunksAtOnce,
  type ChunkSummary,
  chunkTokens,
  type Point,
} from './merge-summaries.ts';
import { answerTokens, sizes, summaryPrompt, writtenSummary } from './prompts.ts';
import type { Chunk } from './split-chunks.ts';
import type { TextWork } from './text-work.ts';

export interface SummaryRequest {
  /** Apart from that of any other text of the job. */
  name: string;
  document: SummaryDocument;
  length: SummaryLength;
  /** ISO 639-1 of the answer; null: the text's own. The built-in model cannot translate. */
  language: string | null;
  focus: string | null;
  /** How the reader wants it to be. The built-in model cannot follow. */
  instruction?: string;
}

export interface Citation {
  claim: string;
  /** As it stands in the text, white space collapsed. */
  quote: string;
  /** Index of the block in which it begins. */
  block: number;
}

export interface TextSummary {
  summary: string;
  keyPoints: string[];
  topics: string[];
  citations: Citation[];
  /** Null where no tokens were used, by the built-in model, and where the provider does not tell. */
  usage: TokenUsage | null;
  /** A part of the text was left out. */
  truncated: boolean;
}

const maxChunks = 64;
const maxTopics = 12;

function distinct(texts: readonly string[], atMost: number): string[] {
  const byFolded = new Map(texts.map((text) => [text.trim().toLowerCase(), text.trim()]));
  return [...byFolded.values()].filter((text) => text !== '').slice(0, atMost);
}

/** The first of those that say the same, or that with a quote. */
function distinctPoints(points: readonly Point[], atMost: number): Point[] {
  const byFolded = new Map<string, Point>();
  for (const { point, quote } of points) {
    const text = point.trim();
    const known = byFolded.get(text.toLowerCase());
    if (text !== '' && (known === undefined || known.quote === ''))
      byFolded.set(text.toLowerCase(), { point: known?.point ?? text, quote });
  }
  return [...byFolded.values()].slice(0, atMost);
}

async function summarizeChunk(
  model: GenerativeModel,
  request: SummaryRequest,
  chunk: Chunk,
  which: { part: number; parts: number },
  tools: SummaryTools,
): Promise<ChunkSummary> {
  const { length, document } = request;
  return await tools.step(`${request.name} part ${which.part} of ${which.parts}`, async () => {
    const asked = summaryPrompt(request, { title: document.title, blocks: chunk.blocks, ...which });
    const { object, usage } = await generateObject(model, {
      ...asked,
      schema: writtenSummary,
      maxOutputTokens: outputTokens(model, answerTokens[length]),
      signal: tools.signal,
    });
    return { summary: object.summary, points: object.keyPoints, topics: object.topics, usage };
  });
}

async function verify(
  points: readonly Point[],
  blocks: readonly TextBlock[],
  work: TextWork,
): Promise<Citation[]> {
  const found = await work.findQuotes({ blocks, quotes: points.map(({ quote }) => quote) });
  return points.flatMap(({ point }, index) => {
    const quote = found[index];
    return quote == null ? [] : [{ claim: point, quote: quote.text, block: quote.block }];
  });
}

async function write(
  model: GenerativeModel,
  request: SummaryRequest,
  tools: SummaryTools,
): Promise<TextSummary> {
  const { document, length } = request;
  const { chunks, truncated } = await tools.work.split({
    blocks: document.blocks,
    language: document.language,
    maxTokens: chunkTokens(model, length),
    maxChunks,
  });
  const summaries = await mapAtOnce(chunks, chunksAtOnce, (chunk, at) =>
    summarizeChunk(model, request, chunk, { part: at + 1, parts: chunks.length }, tools),
  );
  const ask = { name: request.name, title: document.title, wishes: request, ofOneText: true };
  const { summary, points: made, topics, usage } = await mergeSummaries(model, summaries, ask, tools);
  const points = distinctPoints(made, sizes[length].keyPoints);
  const citations = await verify(points, document.blocks, tools.work);
  const keyPoints = points.map(({ point }) => point);
  return { summary, keyPoints, topics: distinct(topics, maxTopics), citations, usage, truncated };
}

async function extract(request: SummaryRequest, { work }: SummaryTools): Promise<TextSummary> {
  const { document, length, focus } = request;
  const { sentences, keyPoints, topics, truncated } = await work.extract({ document, length, focus });
  return {
    summary: toSentenceText(sentences, document.language),
    keyPoints: keyPoints.map(({ text }) => text),
    topics,
    citations: [...sentences, ...keyPoints].map(({ text, block }) => ({ claim: text, quote: text, block })),
    usage: null,
    truncated,
  };
}

/**
 * Summarises a text of any length: by its own sentences where the model is the built-in one, else in parts that the
 * model reads side by side and merges. Every quote stands in the text.
 * @throws AppError `unsupported_content` where there is no text; as `Model.generate`.
 */
export async function summarizeText(
  model: Model,
  request: SummaryRequest,
  tools: SummaryTools,
): Promise<TextSummary> {
  if (request.document.blocks.every(({ text }) => text.trim() === ''))
    throw new AppError('unsupported_content', 'There is no text to summarise.');
  return model.kind === 'extractive' ? await extract(request, tools) : await write(model, request, tools);
}
