import type { Document } from 'domhandler';
import { readHead } from '../page/html/head.ts';
import { encodeAddresses } from './addresses.ts';
import { findPlaces } from './aside.ts';
import { findByline } from './authors.ts';
import { type Block, type PageBlocks, readBlocks } from './blocks.ts';
import { writeContent } from './content-html.ts';
import { findDates } from './dates.ts';
import { findImages, leadImage, type PageImage } from './images.ts';
import { judgeBlocks } from './judge-blocks.ts';
import { isCaption, keepImages } from './keep-images.ts';
import { toLanguageTag } from './language-tag.ts';
import { collapse, type ContentHead, type PageFacts, readFacts } from './page-facts.ts';
import { isThread, readHints } from './page-kind.ts';
import { parsePage } from './parse-page.ts';
import { type Matched, pickSelected, type Selection, takeOut } from './selected-blocks.ts';
import { isSigned } from './signed-page.ts';
import { findSiteName, siteNames } from './site-name.ts';
import { recognizeLanguage } from './text-language.ts';
import { excerptLength, readingMinutes } from './text-figures.ts';
import { findTitle } from './title.ts';
import { countWords, joinBlocks } from './content-text.ts';

/** Where a selector is given, nothing is judged. */
export interface ExtractTask extends Selection {
  html: string;
  /** Where the page came from; relative addresses are resolved against it. */
  url: string;
  /** Of the page; null where that is not known. */
  charset?: string | null;
  /** `html` is what they have made of it. */
  hasRunScripts?: boolean | undefined;
  /** Left out: it is read from `html` alone. */
  head?: ContentHead | undefined;
  /** False: everything that a reader sees, menus and all. Default true. */
  onlyMainContent?: boolean | undefined;
}

export interface ExtractedPage {
  title: string | null;
  byline: string | null;
  siteName: string | null;
  publishedAt: string | null;
  modifiedAt: string | null;
  language: string | null;
  description: string | null;
  excerpt: string | null;
  text: string;
  html: string;
  images: PageImage[];
  wordCount: number;
  readingMinutes: number;
  confidence: number;
}

/**
 * The content of a page: what is left when menus, advertisements, comments and the like are gone.
 * @throws AppError `selector_not_found`, `target_too_large`.
 */
export default function extractPage(task: ExtractTask): ExtractedPage {
  const { url, charset = null } = task;
  const { tree, html: shown, matched } = parsePage(task.html, task, task.hasRunScripts);
  encodeAddresses(tree, charset);
  const facts = readFacts(tree, task.head ?? readHead(task.html, { url, headers: {}, charset }));
  const { page, judgement } = chooseBlocks(tree, facts, { ...task, html: shown, matched });
  const kept = page.blocks.filter((_, index) => judgement.picked[index] === 1);
  const text = joinBlocks(kept.filter((block) => block.text !== '' && !isCaption(block)));
  const title = findTitle(facts, task.url);
  const hints = readHints(facts, task.url, page);
  const titleAt = titleBlock(page.blocks, title, isThread(hints));
  const lead = leadImage(facts);
  const html = writeContent(
    tree,
    keepImages(page.blocks, judgement.picked, {
      titleAt: task.selector === undefined ? titleAt : null,
      lead: lead?.url ?? null,
      base: facts.base,
    }),
    facts.base,
  );
  const places = findPlaces(page.blocks, judgement.picked, { titleAt, isThread: isThread(hints) });
  const { picked } = judgement;
  const isWritten = isSigned({ facts, hints, url: task.url, page, picked, titleAt });
  const wordCount = countWords(text);
  return {
    title,
    byline: findByline(facts, hints, page.blocks, {
      titleAt,
      places,
      siteNames: siteNames(facts, task.url),
      isWritten,
    }),
    siteName: findSiteName(facts),
    ...findDates(facts, hints, task.url, page, {
      titleAt,
      places,
      isWritten,
    }),
    language: languageOf(facts, text),
    description: facts.meta.get('description') ?? facts.meta.get('og:description') ?? null,
    excerpt: excerptOf(facts, kept),
    text,
    html,
    images: findImages(html, lead, page.blocks, facts.base),
    wordCount,
    readingMinutes: readingMinutes(wordCount),
    confidence: wordCount > 0 ? Math.round(judgement.expected * 1_000) / 1_000 : 0,
  };
}

function chooseBlocks(
  tree: Document,
  facts: PageFacts,
  {
    html,
    url,
    selector,
    excludeSelectors = [],
    onlyMainContent = true,
    matched,
  }: ExtractTask & { matched: Matched },
): { page: PageBlocks; judgement: { picked: Uint8Array; expected: number } } {
  takeOut(tree, excludeSelectors);
  if (selector === undefined && onlyMainContent) {
    const page = readBlocks(tree);
    return { page, judgement: judgeBlocks(page, facts, url, html) };
  }
  const { page, picked } = pickSelected(tree, selector, matched);
  return { page, judgement: { picked, expected: 1 } };
}

/** @param isPosted whether it is a thread: there, what tells of a link may stand behind the title. */
function titleBlock(blocks: readonly Block[], title: string | null, isPosted: boolean): number {
  const heading = blocks.findIndex(({ scope, text }) => scope.tag === 'h1' && collapse(text) === title);
  if (heading >= 0) return heading;
  const same = blocks.findIndex(({ text }) => collapse(text) === title);
  if (same >= 0) return same;
  const first = blocks.findIndex(({ scope }) => scope.tag === 'h1');
  if (first >= 0 || title === null || !isPosted) return first;
  return blocks.findIndex(({ text }) => text.startsWith(`${title} `));
}

/** What the page declares, else what its text is sure to be. */
function languageOf(facts: PageFacts, text: string): string | null {
  const told = [
    facts.language,
    facts.meta.get('content-language'),
    facts.meta.get('og:locale'),
    facts.meta.get('dc.language'),
  ];
  for (const one of told) {
    const tag = toLanguageTag(one);
    if (tag !== null) return tag;
  }
  const language = recognizeLanguage(text, null);
  // Text that stands in for what is not written yet reads as Latin.
  return language === 'la' ? null : language;
}

function excerptOf(facts: PageFacts, kept: readonly Block[]): string | null {
  const told = facts.meta.get('description') ?? facts.meta.get('og:description');
  if (told !== undefined && told.length >= 40) return cut(collapse(told));
  const first = kept.find(({ text, scope }) => text.length >= 60 && !/^h[1-6]$/.test(scope.tag)) ?? kept[0];
  return first === undefined ? null : cut(collapse(first.text)) || null;
}

function cut(text: string): string {
  if (text.length <= excerptLength) return text.toWellFormed();
  const end = text.lastIndexOf(' ', excerptLength);
  return `${text.slice(0, end > excerptLength / 2 ? end : excerptLength)}…`.toWellFormed();
}
