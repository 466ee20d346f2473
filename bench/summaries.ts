import { join } from 'node:path';
import extractSummary from '../src/workers/summarize/extractive/extract-summary.ts';
import { rankByGraph, toVectors } from '../src/workers/summarize/extractive/sentence-graph.ts';
import { splitBlocks } from '../src/workers/summarize/extractive/sentences.ts';
import { readWords } from '../src/workers/summarize/extractive/words.ts';
import findQuotes from '../src/workers/summarize/find-quotes.ts';
import { type DescribedPage, readChapters, readDescribedPages } from './summary-corpus.ts';
import { tellFigure } from './figures.ts';

/**
 * How much of what a page says of itself its summary says too: ROUGE-1 (Lin 2004) of three sentences against the
 * page's description or standfirst, which no summariser sees. Beside the built-in model: the first three sentences,
 * and plain TextRank.
 *
 * The built-in model's weights were found on the half that is called `tuned`; the other one is the measure. A folder of
 * the Debian Administrator's Handbook in HTML (Debian's package `debian-handbook`, unpacked by `dpkg -x`), as the
 * second argument, adds chapters in eight languages.
 */
const corpora = process.argv[2] ?? join(import.meta.dirname, '../../shared/corpora');
const handbook = process.argv[3];
const sentencesEach = 3;
/** Of the description's pairs of words that stand in the first sentences: from here on it is taken from them. */
const leadShare = 0.5;

type Summariser = (document: DescribedPage['document']) => string[];

const sentencesOf = (document: DescribedPage['document']) =>
  splitBlocks(document.blocks, document.language, 600).sentences.map(({ text }) => text);

const summarisers: Record<string, Summariser> = {
  'built-in': (document) =>
    extractSummary({ document, length: 'medium', focus: null }).sentences.map(({ text }) => text),
  'lead-3': (document) => sentencesOf(document).slice(0, sentencesEach),
  textrank(document) {
    const sentences = sentencesOf(document);
    const ranks = rankByGraph(toVectors(sentences.map((text) => readWords(text, document.language).topical)));
    const best = [...ranks.keys()].sort((a, b) => (ranks[b] ?? 0) - (ranks[a] ?? 0)).slice(0, sentencesEach);
    return best.map((at) => sentences[at] ?? '');
  },
};

const wordsOf = (text: string, language: string | null) => readWords(text, language).all;

function countOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

/** ROUGE-1, F1 and recall. */
function rouge(summary: readonly string[], reference: readonly string[]): { f1: number; recall: number } {
  const [said, asked] = [countOf(summary), countOf(reference)];
  let shared = 0;
  for (const [word, count] of said) shared += Math.min(count, asked.get(word) ?? 0);
  const [precision, recall] = [shared / Math.max(1, summary.length), shared / Math.max(1, reference.length)];
  return { f1: shared === 0 ? 0 : (2 * precision * recall) / (precision + recall), recall };
}

function isItsLead({ document, description }: DescribedPage): boolean {
  const pairs = (words: readonly string[]) => words.slice(1).map((word, at) => `${words[at]} ${word}`);
  const lead = new Set(
    pairs(wordsOf(sentencesOf(document).slice(0, sentencesEach).join(' '), document.language)),
  );
  const asked = pairs(wordsOf(description, document.language));
  return asked.filter((pair) => lead.has(pair)).length >= leadShare * Math.max(1, asked.length);
}

const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
const three = (value: number) => value.toFixed(3).replace(/^0/, '');

function report(name: string, pages: readonly DescribedPage[]): void {
  const figures = Object.entries(summarisers).map(([summariser, summarise]) => {
    const scores = pages.map(({ document, description }) =>
      rouge(
        wordsOf(summarise(document).join(' '), document.language),
        wordsOf(description, document.language),
      ),
    );
    const [f1, recall] = [mean(scores.map((each) => each.f1)), mean(scores.map((each) => each.recall))];
    return `${summariser} ${three(f1)} (recall ${three(recall)})`;
  });
  console.log(`${`${name}, ${pages.length}:`.padEnd(44)} ${figures.join('   ')}`);
}

const pages = await readDescribedPages(corpora);
const startedAt = performance.now();
let quotes = 0;
let standing = 0;
for (const { document } of pages) {
  const { sentences, keyPoints } = extractSummary({ document, length: 'long', focus: null });
  const asked = [...sentences, ...keyPoints].map(({ text }) => text);
  quotes += asked.length;
  standing += findQuotes({ blocks: document.blocks, quotes: asked }).filter((found) => found !== null).length;
}
const eachMs = (performance.now() - startedAt) / pages.length;

console.log('ROUGE-1 F1 against the description, three sentences each');
for (const half of ['tuned', 'held out'] as const) {
  const own = pages.filter((page) => page.half === half);
  const elsewhere = own.filter((page) => !isItsLead(page));
  report(`${half}, all`, own);
  report(`${half}, whose description is not its lead`, elsewhere);
}
tellFigure({ what: 'quotes that stand in their page', value: standing, unit: '', baseline: quotes });
tellFigure({ what: 'a page', value: eachMs, unit: 'ms' });
console.log(`quotes that stand in their page: ${standing} of ${quotes};  ${eachMs.toFixed(1)} ms a page`);

if (handbook !== undefined) {
  const chapters = await readChapters(handbook);
  for (const [language, own] of Map.groupBy(chapters, ({ document }) => document.language)) {
    report(`handbook, ${language}`, own);
  }
}
