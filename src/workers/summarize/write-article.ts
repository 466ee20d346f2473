import { generateObject } from '../ai/generate-object.ts';
import { addUsage, type GenerativeModel, type Model, noTokens, type TokenUsage } from '../ai/model.ts';
import type { ArrangedSection, Chapter } from './arrange-article.ts';
import type { SummaryDocument } from './document.ts';
import { mapAtOnce } from '../../shared/map-at-once.ts';
import { outputTokens, chunkCharacters, chunksAtOnce } from './merge-summaries.ts';
import { articlePrompt, articleTokens, writtenSection } from './prompts.ts';
import type { SummaryTools } from './job-tools.ts';

export interface ArticleRequest {
  /** Apart from that of any other text of the job. */
  name: string;
  document: SummaryDocument;
  /** Of a recording; the sections are these where there are any. */
  chapters: readonly Chapter[];
  /** ISO 639-1 of the article; null: the text's own. The built-in model cannot translate. */
  language: string | null;
}

export interface ArticleSection {
  heading: string | null;
  startSeconds: number | null;
  /** Paragraphs, and a quote as it stands in the text; without the heading. */
  markdown: string;
}

export interface Article {
  sections: ArticleSection[];
  usage: TokenUsage | null;
  /** Sections after the last one were left out. */
  truncated: boolean;
}

/** Each is a call of the model. */
const maxWrittenSections = 48;

/** What a text says stays text: no line of it becomes a heading, a list or a quote of ours. */
export function escapeMarkdown(paragraph: string): string {
  return paragraph
    .replace(/[\\`*_[\]<>]/g, '\\$&')
    .replace(/^([^\S\n\r\u2028\u2029]*)([#+-]|\d+[.)])(?=\s|$)/gm, '$1\\$2');
}

const quoteLength = { shortest: 40, longest: 240 };
/** A shorter section is not worth a quote. */
const quotedFrom = 3;

/** The sentence of the section that says most, where it stands out from others. */
function quoteOf({ highlights, ranking, paragraphs }: ArrangedSection): string[] {
  const best = ranking
    .map((at) => highlights[at] ?? '')
    .find(({ length }) => length >= quoteLength.shortest && length <= quoteLength.longest);
  return best === undefined || paragraphs.length < quotedFrom ? [] : [`> ${escapeMarkdown(best)}`];
}

function arranged(section: ArrangedSection): ArticleSection {
  const { heading, startSeconds, paragraphs } = section;
  const markdown = [...quoteOf(section), ...paragraphs.map(escapeMarkdown)].join('\n\n');
  return { heading, startSeconds, markdown };
}

async function writeSection(
  model: GenerativeModel,
  { name, document, language }: ArticleRequest,
  section: ArrangedSection,
  number: number,
  tools: SummaryTools,
): Promise<{ section: ArticleSection; usage: TokenUsage | null }> {
  const { title, blocks } = document;
  const { object, usage } = await tools.step(`${name} section ${number}`, () =>
    generateObject(model, {
      ...articlePrompt({
        title,
        language,
        heading: section.isNamed ? section.heading : null,
        text: section.paragraphs.join('\n\n'),
      }),
      schema: writtenSection,
      maxOutputTokens: outputTokens(model, articleTokens),
      signal: tools.signal,
    }),
  );
  const own = blocks.slice(section.from, section.to);
  const [quote] = await tools.work.findQuotes({ blocks: own, quotes: [object.quote] });
  const paragraphs = object.paragraphs
    .map((text) => escapeMarkdown(text.trim()))
    .filter((text) => text !== '');
  const quoted = quote == null ? [] : [`> ${escapeMarkdown(quote.text)}`];
  return {
    section: {
      heading: (section.isNamed ? null : object.heading.trim() || null) ?? section.heading,
      startSeconds: section.startSeconds,
      markdown: [...paragraphs, ...quoted].join('\n\n'),
    },
    usage,
  };
}

/**
 * Makes an article of a text or a transcript: headed sections of readable paragraphs; by the text's own sentences where
 * the model is the built-in one.
 * @throws AppError as `Model.generate`.
 */
export async function writeArticle(
  model: Model,
  request: ArticleRequest,
  tools: SummaryTools,
): Promise<Article> {
  const { document, chapters } = request;
  const bound = model.kind === 'extractive' ? {} : { maxCharacters: chunkCharacters(model, 'medium') };
  const sections = await tools.work.arrange({ document, chapters, ...bound });
  if (model.kind === 'extractive') return { sections: sections.map(arranged), usage: null, truncated: false };
  const kept = sections.slice(0, maxWrittenSections);
  const written = await mapAtOnce(kept, chunksAtOnce, (section, at) =>
    writeSection(model, request, section, at + 1, tools),
  );
  return {
    sections: written.map(({ section }) => section),
    usage: written.map(({ usage }) => usage).reduce(addUsage, noTokens),
    truncated: kept.length < sections.length,
  };
}
