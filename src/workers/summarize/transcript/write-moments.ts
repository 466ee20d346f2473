import { generateObject } from '../../ai/generate-object.ts';
import { tally } from '../../ai/billing.ts';
import { addUsage, type GenerativeModel, type Model, noTokens, type TokenUsage } from '../../ai/model.ts';
import { RefusedRequest } from '../../ai/provider-failure.ts';
import { UnusableAnswer } from '../../ai/require-answer.ts';
import type { ArrangedSection, Chapter } from '../arrange-article.ts';
import type { SummaryDocument } from '../document.ts';
import { toSentenceText } from '../join-sentences.ts';
import { mapAtOnce } from '../../../shared/map-at-once.ts';
import { outputTokens, chunkCharacters, chunksAtOnce } from '../merge-summaries.ts';
import { momentsPrompt, momentTokens, writtenMoments } from '../prompts.ts';
import type { SummaryTools } from '../job-tools.ts';

export interface Moment {
  startSeconds: number;
  title: string | null;
  /** Null where nothing is said. */
  summary: string | null;
}

export interface MomentsRequest {
  document: SummaryDocument;
  chapters: readonly Chapter[];
  /** ISO 639-1 of the answer; null: the text's own. */
  language: string | null;
}

/** Of the built-in model. */
const sentencesEach = 2;
const momentsAtMost = 20;

/** A chapter, or a part of the text, with what is said in it. */
interface Part {
  moment: Moment;
  /** Its title is the chapter's. */
  isNamed: boolean;
  text: string;
}

function bestSentences({ highlights, ranking }: ArrangedSection, language: string | null): string {
  const chosen = ranking.slice(0, sentencesEach).sort((a, b) => a - b);
  const sentences = chosen.map((at) => ({ text: highlights[at] ?? '' }));
  return toSentenceText(sentences, language);
}

/** Each chapter is one, whether anything is said in it or not; without chapters the parts of the text are. */
function toParts(sections: readonly ArrangedSection[], { chapters, document }: MomentsRequest): Part[] {
  const parts = sections.map((section) => ({
    moment: {
      startSeconds: section.startSeconds ?? 0,
      title: section.heading,
      summary: bestSentences(section, document.language),
    },
    isNamed: section.isNamed,
    text: section.highlights.join('\n'),
  }));
  const told = new Set(parts.map(({ moment }) => moment.startSeconds));
  const silent = chapters
    .filter(({ startSeconds }) => !told.has(startSeconds))
    .map(({ title, startSeconds }) => ({
      moment: { startSeconds, title, summary: null },
      isNamed: true,
      text: '',
    }));
  return [...parts, ...silent].sort((a, b) => a.moment.startSeconds - b.moment.startSeconds);
}

/** As many as fit a prompt and its answer together. */
function groupParts(parts: readonly Part[], characters: number): Part[][] {
  const groups: Part[][] = [];
  let size = Infinity;
  for (const part of parts) {
    const last = groups.at(-1);
    if (last === undefined || size + part.text.length > characters || last.length >= momentsAtMost) {
      groups.push([part]);
      size = part.text.length;
    } else {
      last.push(part);
      size += part.text.length;
    }
  }
  return groups;
}

async function writeGroup(
  model: GenerativeModel,
  group: readonly Part[],
  name: string,
  { document, language }: MomentsRequest,
  tools: SummaryTools,
): Promise<{ moments: Moment[]; usage: TokenUsage | null }> {
  const asked = group.map(({ moment, isNamed, text }, at) => ({
    number: at + 1,
    title: isNamed ? moment.title : null,
    text,
  }));
  const tallied = tally(model);
  let failure = '';
  const { object, usage } = await tools
    .step(name, () =>
      generateObject(tallied.model, {
        ...momentsPrompt({ title: document.title, language, moments: asked }),
        schema: writtenMoments(group.length),
        maxOutputTokens: outputTokens(model, momentTokens * (group.length + 1)),
        signal: tools.signal,
      }),
    )
    .catch((error: unknown) => {
      tools.signal.throwIfAborted();
      // Whatever else fails, as a key, a model or a budget, fails for each of the groups.
      if (!(error instanceof UnusableAnswer || error instanceof RefusedRequest)) throw error;
      failure = `: ${error.detail}`;
      return { object: { moments: [] }, usage: tallied.used() };
    });
  const written = object.moments.filter(({ number }) => number <= group.length);
  const byNumber = new Map(written.map((one) => [one.number, one]));
  const left = group.length - byNumber.size;
  if (left > 0) {
    const message = `The built-in model told ${left} of the moments, in the language of the content, as ${model.id} did not tell them${failure || '.'}`;
    tools.warn('model_failed', message);
  }
  const moments = group.map(({ moment, isNamed }, at) => {
    const own = byNumber.get(at + 1);
    if (own === undefined) return moment;
    const title = isNamed || own.title.trim() === '' ? moment.title : own.title.trim();
    return { ...moment, title, summary: own.summary };
  });
  return { moments, usage };
}

/**
 * What a recording says when: of each chapter, or of each part of a text without chapters.
 * @returns in the order of the recording; usage null where no tokens were used.
 * @throws AppError as `Model.generate`; an answer that cannot be used, and a request that is refused for itself, leave
 *   their moments to the built-in model.
 */
export async function writeMoments(
  model: Model,
  request: MomentsRequest,
  tools: SummaryTools,
): Promise<{ moments: Moment[]; usage: TokenUsage | null }> {
  const { document, chapters } = request;
  const parts = toParts(await tools.work.arrange({ document, chapters }), request);
  if (model.kind === 'extractive') return { moments: parts.map(({ moment }) => moment), usage: null };
  const spoken = parts.filter(({ text }) => text !== '');
  const groups = groupParts(spoken, chunkCharacters(model, 'medium'));
  const answers = await mapAtOnce(groups, chunksAtOnce, (group, at) =>
    writeGroup(model, group, `moments ${at + 1} of ${groups.length}`, request, tools),
  );
  const silent = parts.filter(({ text }) => text === '').map(({ moment }) => moment);
  const moments = [...answers.flatMap((answer) => answer.moments), ...silent];
  return {
    moments: moments.sort((a, b) => a.startSeconds - b.startSeconds),
    usage: answers.map(({ usage }) => usage).reduce(addUsage, noTokens),
  };
}
