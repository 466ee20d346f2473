import { generateObject } from '../ai/generate-object.ts';
import { addUsage, type GenerativeModel, type Model, type TokenUsage } from '../ai/model.ts';
import type { ArrangedSection, Chapter } from './arrange-article.ts';
import type { SummaryDocument } from './document.ts';
import { mapAtOnce, partsAtOnce } from './map-at-once.ts';
import { articlePrompt, articleTokens, writtenSection } from './prompts.ts';
import type { SummaryTools } from './summarize-text.ts';

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
  /** Paragraphs, and where the model quoted, the quote as it stands in the text; without the heading. */
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
function escapeMarkdown(paragraph: string): string {
  return paragraph.replace(/[\\`*_[\]<>]/g, '\\$&').replace(/^(\s*)([#+-]|\d+[.)])(?=\s|$)/gm, '$1\\$2');
}

function arranged({ heading, startSeconds, paragraphs }: ArrangedSection): ArticleSection {
  return { heading, startSeconds, markdown: paragraphs.map(escapeMarkdown).join('\n\n') };
}

async function writeSection(
  model: GenerativeModel,
  { name, document, language }: ArticleRequest,
  section: ArrangedSection,
  number: number,
  tools: SummaryTools,
): Promise<{ section: ArticleSection; usage: TokenUsage }> {
  const { title, blocks } = document;
  const { object, usage } = await tools.step(`${name} section ${number}`, () =>
    generateObject(model, {
      ...articlePrompt({ title, language, heading: section.heading, text: section.paragraphs.join('\n\n') }),
      schema: writtenSection,
      maxOutputTokens: articleTokens,
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
      heading: section.heading ?? object.heading.trim(),
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
  const sections = await tools.work.arrange({ document, chapters });
  if (model.kind === 'extractive') return { sections: sections.map(arranged), usage: null, truncated: false };
  const kept = sections.slice(0, maxWrittenSections);
  const written = await mapAtOnce(kept, partsAtOnce, (section, at) =>
    writeSection(model, request, section, at + 1, tools),
  );
  return {
    sections: written.map(({ section }) => section),
    usage: written.map(({ usage }) => usage).reduce(addUsage, { inputTokens: 0, outputTokens: 0 }),
    truncated: kept.length < sections.length,
  };
}
