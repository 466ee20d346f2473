import { longestAnswer, thinksFirst } from '../../shared/ai/model-list.ts';
import { AppError } from '../../shared/errors.ts';
import { generateObject } from '../ai/generate-object.ts';
import { tally } from '../ai/billing.ts';
import { addUsage, type GenerativeModel, type TokenUsage } from '../ai/model.ts';
import type { SummaryLength } from './extractive/extract-summary.ts';
import { toSentenceText } from './join-sentences.ts';
import { mapAtOnce } from '../../shared/map-at-once.ts';
import { answerTokens, mergedSummary, mergePrompt, type Wishes } from './prompts.ts';
import type { SummaryTools } from './job-tools.ts';

/** Requests to a model at a time, by one job. */
export const chunksAtOnce = 4;

export interface Point {
  point: string;
  quote: string;
}

export interface ChunkSummary {
  summary: string;
  points: Point[];
  topics: string[];
  usage: TokenUsage | null;
}

/** Where nobody has said how much a model takes; what small local ones take. */
const assumedContext = 8_192;
/** More makes an answer slow and its middle weak. */
const largestChunk = 24_000;
const smallestChunk = 1_000;
const promptTokens = 900;
const fewestOutputTokens = 256;
const thinkingTokens = 4_000;
/** The tokens of models differ from those that are counted. */
const tokenMargin = 0.8;
/** Characters of a token in the script that takes the most tokens. */
const charactersOfToken = 1.5;
/** Of all that are merged at a time, as many of each. */
const maxPoints = 40;
const extractedPoints = 8;

const contextOf = ({ contextTokens }: GenerativeModel): number => contextTokens ?? assumedContext;

/** What an answer may take, in tokens: as much as is wished for, where the question leaves enough. */
export function outputTokens(model: GenerativeModel, wished: number): number {
  const freeTokens = contextOf(model) - promptTokens - smallestChunk / tokenMargin;
  const thought = thinksFirst(model.id) ? thinkingTokens : 0;
  return Math.min(
    wished + thought,
    longestAnswer(model.id),
    Math.max(fewestOutputTokens, Math.floor(freeTokens)),
  );
}

/** Tokens of material that the model takes at a time, beside the question and its answer. */
export function chunkTokens(model: GenerativeModel, length: SummaryLength): number {
  const answer = outputTokens(model, answerTokens[length]);
  const freeTokens = (contextOf(model) - answer - promptTokens) * tokenMargin;
  return Math.floor(Math.min(largestChunk, Math.max(smallestChunk, freeTokens)));
}

/** Characters of material that fit, whatever the script. */
export const chunkCharacters = (model: GenerativeModel, length: SummaryLength): number =>
  chunkTokens(model, length) * charactersOfToken;

export interface MergeRequest {
  /** Apart from that of any other merge of the job. */
  name: string;
  title: string | null;
  wishes: Wishes;
  /** False: of several texts, which are set side by side. */
  ofOneText: boolean;
}

/** Neighbours that fit a prompt together, two at least. */
function groupsThatFit(parts: readonly ChunkSummary[], characters: number): ChunkSummary[][] {
  const groups: ChunkSummary[][] = [];
  let size = Infinity;
  for (const part of parts) {
    const length = part.summary.length + part.points.reduce((sum, { point }) => sum + point.length, 0);
    const last = groups.at(-1);
    if (last === undefined || (size + length > characters && last.length > 1)) {
      groups.push([part]);
      size = length;
    } else {
      last.push(part);
      size += length;
    }
  }
  return groups;
}

async function mergeGroup(
  model: GenerativeModel,
  group: readonly ChunkSummary[],
  { name, title, wishes, ofOneText }: MergeRequest,
  tools: SummaryTools,
): Promise<ChunkSummary> {
  const each = Math.ceil(maxPoints / group.length);
  const points = group.flatMap((part) => part.points.slice(0, each));
  return await tools.step(name, async () => {
    const prompt = mergePrompt(wishes, {
      title,
      summaries: group.map(({ summary }) => summary),
      points: points.map(({ point }) => point),
      ofOneText,
    });
    const { object, usage } = await generateObject(model, {
      ...prompt,
      schema: mergedSummary(points.length),
      maxOutputTokens: outputTokens(model, answerTokens[wishes.length]),
      signal: tools.signal,
    });
    const chosen = [...new Set(object.keyPoints)].flatMap((number) => points[number - 1] ?? []);
    return { summary: object.summary, points: chosen, topics: object.topics, usage };
  });
}

/** What has been paid for is not lost with the merging: the built-in model takes sentences and points of each part. */
async function extractGroup(
  group: readonly ChunkSummary[],
  { title, wishes: { length, language, focus } }: MergeRequest,
  tools: SummaryTools,
): Promise<Omit<ChunkSummary, 'usage'>> {
  const blocks = group.map(({ summary }) => ({ text: summary }));
  const extracted = await tools.work.extract({ document: { title, language, blocks }, length, focus });
  const each = Math.ceil(extractedPoints / group.length);
  return {
    summary: toSentenceText(extracted.sentences, language),
    points: group.flatMap(({ points }) => points.slice(0, each)).slice(0, extractedPoints),
    topics: group.flatMap(({ topics }) => topics),
  };
}

async function mergeOrExtract(
  model: GenerativeModel,
  group: readonly ChunkSummary[],
  request: MergeRequest,
  tools: SummaryTools,
): Promise<ChunkSummary> {
  const tallied = tally(model);
  try {
    return await mergeGroup(tallied.model, group, request, tools);
  } catch (error) {
    tools.signal.throwIfAborted();
    if (!(error instanceof AppError)) throw error;
    const message = `The built-in model put parts of the summary together, as ${model.id} failed: ${error.detail}`;
    tools.warn('model_failed', message);
    return { ...(await extractGroup(group, request, tools)), usage: tallied.used() };
  }
}

/**
 * Merges summaries until one is left, as many at a time as fit the model.
 * @param parts at least one.
 * @throws AppError as `Model.generate`, of several texts; parts of one are put together by the built-in model then.
 * @returns with the usage of all: of the parts and of the merging.
 */
export async function mergeSummaries(
  model: GenerativeModel,
  parts: readonly ChunkSummary[],
  request: MergeRequest,
  tools: SummaryTools,
): Promise<ChunkSummary> {
  const characters = chunkCharacters(model, request.wishes.length);
  let usage = parts.map((part) => part.usage).reduce((sum, each) => addUsage(sum, each));
  let left = [...parts];
  for (let round = 1; left.length > 1; round++) {
    left = await mapAtOnce(groupsThatFit(left, characters), chunksAtOnce, async (group, at) => {
      const [only] = group;
      if (group.length === 1 && only !== undefined) return only;
      const name = `${request.name} merge ${round}.${at + 1}`;
      const merge = request.ofOneText ? mergeOrExtract : mergeGroup;
      const merged = await merge(model, group, { ...request, name }, tools);
      usage = addUsage(usage, merged.usage);
      return merged;
    });
  }
  return { ...(left[0] as ChunkSummary), usage };
}
