import type { SummaryDocument, TextBlock } from './document.ts';
import { findKeyPhrases } from './extractive/key-phrases.ts';
import { selectDiverse } from './extractive/select.ts';
import { type RatedSentence, rateSentences } from './extractive/sentence-scores.ts';
import { splitBlocks } from './extractive/sentences.ts';
import { toSentenceText } from './join-sentences.ts';

export interface Chapter {
  title: string;
  startSeconds: number;
}

export interface ArrangeTask {
  document: SummaryDocument;
  chapters: readonly Chapter[];
  /** Of a section; a longer chapter or part is divided. Default: it stays whole. */
  maxCharacters?: number;
}

export interface ArrangedSection {
  /** A chapter's title, a heading of the text, or the phrase that the section is most about; null where it has none. */
  heading: string | null;
  /** The heading is a chapter's or the text's own, not one that was found here. */
  isNamed: boolean;
  startSeconds: number | null;
  paragraphs: string[];
  /** The sentences that say most, in order; the first of `ranking` is the best one's index. */
  highlights: string[];
  ranking: number[];
  /** Indices of its blocks: `from` up to but not including `to`. */
  from: number;
  to: number;
}

/** Of a section, where neither chapters nor headings divide the text; more of a text that has too many such. */
const sectionCharacters = 3_500;
const usualSections = 48;
const paragraphCharacters = 600;
const maxSentences = 20_000;
const highlightsEach = 8;
/** Of speech, quickly spoken. */
const charactersPerSecond = 15;
/** No video has as many. */
const maxChapters = 500;

interface Bound {
  from: number;
  heading: string | null;
  /** Where the chapter begins; otherwise it is where its text does. */
  startSeconds?: number;
}

const lengthOf = (blocks: readonly TextBlock[]) => blocks.reduce((sum, { text }) => sum + text.length, 0);

/** The middle of when a block is said: what begins just before a chapter's mark and goes on behind it is the chapter's. */
function middleOf(blocks: readonly TextBlock[], at: number): number {
  const { text = '', startSeconds = 0 } = blocks[at] ?? {};
  const next = blocks[at + 1]?.startSeconds ?? Infinity;
  return startSeconds + Math.min(next - startSeconds, text.length / charactersPerSecond) / 2;
}

function boundsOfChapters(blocks: readonly TextBlock[], chapters: readonly Chapter[]): Bound[] {
  const middles = blocks.map((_, at) => middleOf(blocks, at));
  const bounds = chapters.slice(0, maxChapters).flatMap(({ title, startSeconds }) => {
    const from = middles.findIndex((middle) => middle >= startSeconds);
    return from < 0 ? [] : { from, heading: title, startSeconds };
  });
  return bounds.filter(({ from }, at) => from !== bounds[at + 1]?.from);
}

/** Where sections begin, and what they are called there. */
function findBounds(blocks: readonly TextBlock[], chapters: readonly Chapter[]): Bound[] {
  if (chapters.length > 0) return boundsOfChapters(blocks, chapters);
  const headings = blocks.flatMap((block, from) =>
    block.isHeading === true ? [{ from, heading: block.text }] : [],
  );
  if (headings.length > 0) return headings;
  return cutEvery(blocks, 0, blocks.length, Math.max(sectionCharacters, lengthOf(blocks) / usualSections));
}

/** Bounds without headings, so many characters apart. */
function cutEvery(blocks: readonly TextBlock[], from: number, to: number, characters: number): Bound[] {
  const bounds: Bound[] = [];
  let size = Infinity;
  for (let at = from; at < to; at++) {
    if (size >= characters) {
      bounds.push({ from: at, heading: null });
      size = 0;
    }
    size += blocks[at]?.text.length ?? 0;
  }
  return bounds;
}

/** What is too long goes on under headings of its own. */
function divide(blocks: readonly TextBlock[], bounds: readonly Bound[], maxCharacters: number): Bound[] {
  return bounds.flatMap((bound, at) => {
    const to = bounds[at + 1]?.from ?? blocks.length;
    const length = lengthOf(blocks.slice(bound.from, to));
    if (length <= maxCharacters) return bound;
    const [, ...more] = cutEvery(blocks, bound.from, to, length / Math.ceil(length / maxCharacters));
    return [bound, ...more];
  });
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

function findHighlights(rated: readonly RatedSentence[]): Pick<ArrangedSection, 'highlights' | 'ranking'> {
  const best = selectDiverse(rated, highlightsEach);
  const inOrder = best.toSorted((a, b) => a.block - b.block || a.place - b.place);
  return { highlights: inOrder.map(({ text }) => text), ranking: best.map((one) => inOrder.indexOf(one)) };
}

/** Divides a text into headed sections of readable paragraphs, in its own words. A task of the pool: pure. */
export default function arrangeArticle(task: ArrangeTask): ArrangedSection[] {
  const { document, chapters, maxCharacters = Infinity } = task;
  const { blocks, language, title } = document;
  const found = findBounds(blocks, chapters);
  const whole = found[0]?.from === 0 ? found : [{ from: 0, heading: null }, ...found];
  const bounds = divide(blocks, whole, maxCharacters);
  const { sentences } = splitBlocks(blocks, language, maxSentences);
  const byBlock = Map.groupBy(sentences, ({ block }) => bounds.findLastIndex(({ from }) => from <= block));
  const taken = new Set<string>();
  return bounds.flatMap(({ from, heading, startSeconds }, at) => {
    const own = byBlock.get(at);
    if (own === undefined) return [];
    const rated = rateSentences(own, { title, focus: null, language });
    const phrases = heading === null ? findKeyPhrases(rated, { title: null, language }, taken.size + 1) : [];
    const phrase = phrases.find((each) => !taken.has(each)) ?? null;
    if (phrase !== null) taken.add(phrase);
    return {
      heading: heading ?? (phrase === null ? null : phrase.charAt(0).toUpperCase() + phrase.slice(1)),
      isNamed: heading !== null,
      startSeconds: startSeconds ?? blocks[from]?.startSeconds ?? null,
      paragraphs: toParagraphs(own, language),
      ...findHighlights(rated),
      from,
      to: bounds[at + 1]?.from ?? blocks.length,
    };
  });
}
