import type { SummaryDocument, TextBlock } from './document.ts';
import { findKeyPhrases } from './extractive/key-phrases.ts';
import { rateSentences } from './extractive/sentence-scores.ts';
import { splitBlocks } from './extractive/sentences.ts';
import { toSentenceText } from './join-sentences.ts';

export interface Chapter {
  title: string;
  startSeconds: number;
}

export interface ArrangeTask {
  document: SummaryDocument;
  chapters: readonly Chapter[];
}

export interface ArrangedSection {
  /** A chapter's title, a heading of the text, or the phrase that the section is most about; null where it has none. */
  heading: string | null;
  startSeconds: number | null;
  paragraphs: string[];
  /** Indices of its blocks: `from` up to but not including `to`. */
  from: number;
  to: number;
}

/** Of a section, where neither chapters nor headings divide the text. */
const sectionCharacters = 3_500;
const paragraphCharacters = 600;
const maxSentences = 20_000;

/** Where sections begin, and what they are called there. */
function findBounds(
  blocks: readonly TextBlock[],
  chapters: readonly Chapter[],
): { from: number; heading: string | null }[] {
  if (chapters.length > 0) {
    const bounds = chapters.map(({ title, startSeconds }) => {
      const from = blocks.findIndex((block) => (block.startSeconds ?? 0) >= startSeconds);
      return { from, heading: title as string | null };
    });
    return bounds.filter(({ from }, at) => from >= 0 && from !== bounds[at + 1]?.from);
  }
  const headings = blocks.flatMap((block, from) =>
    block.isHeading === true ? [{ from, heading: block.text }] : [],
  );
  if (headings.length > 0) return headings;
  const bounds: { from: number; heading: string | null }[] = [];
  let size = Infinity;
  for (const [from, { text }] of blocks.entries()) {
    if (size >= sectionCharacters) {
      bounds.push({ from, heading: null });
      size = 0;
    }
    size += text.length;
  }
  return bounds;
}

function toParagraphs(sentences: readonly { text: string }[], language: string | null): string[] {
  const paragraphs: string[] = [];
  let open: { text: string }[] = [];
  let size = 0;
  for (const sentence of sentences) {
    open.push(sentence);
    size += sentence.text.length;
    if (size < paragraphCharacters) continue;
    paragraphs.push(toSentenceText(open, language));
    [open, size] = [[], 0];
  }
  if (open.length > 0) paragraphs.push(toSentenceText(open, language));
  return paragraphs;
}

/** Divides a text into headed sections of readable paragraphs, in its own words. A task of the pool: pure. */
export default function arrangeArticle({ document, chapters }: ArrangeTask): ArrangedSection[] {
  const { blocks, language, title } = document;
  const found = findBounds(blocks, chapters);
  const bounds = found[0]?.from === 0 ? found : [{ from: 0, heading: null }, ...found];
  const { sentences } = splitBlocks(blocks, language, maxSentences);
  const taken = new Set<string>();
  return bounds.flatMap(({ from, heading }, at) => {
    const to = bounds[at + 1]?.from ?? blocks.length;
    const own = sentences.filter(({ block }) => block >= from && block < to);
    if (own.length === 0) return [];
    const rated = heading === null ? rateSentences(own, { title, focus: null, language }) : [];
    const phrases = findKeyPhrases(rated, { title: null, language }, taken.size + 1);
    const phrase = phrases.find((each) => !taken.has(each)) ?? null;
    if (phrase !== null) taken.add(phrase);
    return {
      heading: heading ?? (phrase === null ? null : phrase.charAt(0).toUpperCase() + phrase.slice(1)),
      startSeconds: blocks[from]?.startSeconds ?? null,
      paragraphs: toParagraphs(own, language),
      from,
      to,
    };
  });
}
