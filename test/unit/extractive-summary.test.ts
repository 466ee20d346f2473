import { describe, expect, it } from 'vitest';
import { toBlocks } from '../../src/workers/summarize/document.ts';
import extractSummary, {
  type SummaryLength,
} from '../../src/workers/summarize/extractive/extract-summary.ts';
import { splitText } from '../../src/workers/summarize/extractive/sentences.ts';
import { detectLanguage } from '../../src/workers/extract/text-language.ts';
import { languageTexts } from '../support/language-texts.ts';

describe.each(Object.entries(languageTexts))('a text in %s', (language, text) => {
  it('is known by its language', () => {
    expect(detectLanguage(text.paragraphs.join('\n'), null)).toBe(language);
  });

  it('is split into its sentences, not after abbreviations and numbers', () => {
    expect(text.paragraphs.flatMap((paragraph) => splitText(paragraph, language))).toEqual(text.sentences);
  });

  it('is summarised by sentences that stand in it, about what it is about', () => {
    const document = { title: text.title, language, blocks: toBlocks(text.paragraphs.join('\n\n')) };
    const { sentences, keyPoints, topics, truncated } = extractSummary({
      document,
      length: 'short',
      focus: null,
    });
    expect(truncated).toBe(false);
    expect(sentences).toHaveLength(2);
    for (const { text: sentence, block } of [...sentences, ...keyPoints]) {
      expect(text.paragraphs[block]).toContain(sentence);
    }
    expect(new Set([...sentences, ...keyPoints].map((each) => each.text)).size).toBe(
      sentences.length + keyPoints.length,
    );
    expect(topics.join(' ').toLowerCase()).toContain(text.topic);
  });
});

it('takes no sentence from one item of a list or cell of a row to the next', () => {
  const list = 'Planting and growing guides\nLighting for indoor plants\nColor\tBlue';
  expect(splitText(list, 'en')).toEqual([
    'Planting and growing guides',
    'Lighting for indoor plants',
    'Color',
    'Blue',
  ]);
  const broken =
    'The harbour of the town was widened in the year after\nthe storm, when its people asked the ministers of\nFinland for a deeper channel. It rained.';
  expect(splitText(broken, 'en')).toEqual([
    'The harbour of the town was widened in the year after the storm, when its people asked the ministers of Finland for a deeper channel.',
    'It rained.',
  ]);
});

const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    text: `The harbour of town ${at} was widened in the year after the storm. Its people asked for a deeper channel ${at} times.`,
  }));

const summarize = (
  blocks: { text: string }[],
  length: SummaryLength = 'medium',
  focus: string | null = null,
) => extractSummary({ document: { title: 'Harbours', language: 'en', blocks }, length, focus });

describe('the built-in model', () => {
  it('says more where more is asked for', () => {
    const blocks = paragraphs(40);
    const [short, medium, long] = (['short', 'medium', 'long'] as const).map((length) =>
      summarize(blocks, length),
    );
    expect(short?.sentences.length).toBeLessThan(medium?.sentences.length ?? 0);
    expect(medium?.sentences.length).toBeLessThan(long?.sentences.length ?? 0);
  });

  it('takes what the reader asks about', () => {
    const asked = {
      text: 'The lighthouse keeper counts the migrating cranes each autumn and writes a diary of them.',
    };
    const blocks = [...paragraphs(30), asked, ...paragraphs(30)];
    expect(summarize(blocks).sentences.map(({ text }) => text)).not.toContain(asked.text);
    expect(summarize(blocks, 'medium', 'migrating cranes').sentences.map(({ text }) => text)).toContain(
      asked.text,
    );
  });

  it('does not say the same twice', () => {
    const same = { text: 'The harbour was closed on Monday because of the storm.' };
    const { sentences } = summarize([same, same, same, ...paragraphs(5)]);
    expect(sentences.filter(({ text }) => text === same.text)).toHaveLength(1);
  });

  it('is short also of a text in which no mark ends a sentence', () => {
    const text = 'ภาษาไทยเป็นภาษาที่มีระดับเสียง'.repeat(600);
    const { sentences } = summarize([{ text }], 'short');
    expect(sentences).toHaveLength(1);
    expect(sentences[0]?.text.length).toBeLessThanOrEqual(800);
    expect(sentences[0]?.text.length).toBeGreaterThan(700);
    expect(text.startsWith(sentences[0]?.text ?? '-')).toBe(true);
  });

  it('takes from the rest of a long text too, in time that grows with its length only', () => {
    const { sentences, truncated } = summarize(paragraphs(1_000), 'long');
    expect(truncated).toBe(false);
    expect(Math.max(...sentences.map(({ block }) => block))).toBeGreaterThan(125);
  });

  it('says nothing of a text that says nothing', () => {
    expect(summarize([])).toMatchObject({ sentences: [], keyPoints: [], topics: [] });
    expect(summarize([{ text: '* * * --- 🙂' }]).sentences).toEqual([]);
  });
});

it.each([
  ['pt', 'Os pescadores saem para o mar', ['para', 'que', 'não', 'os', 'uma']],
  ['it', 'Le barche della cooperativa', ['le', 'della', 'che', 'sono', 'nella']],
])('has no topics of words that carry none in %s', (language, opening, none) => {
  const texts: Record<string, string> = {
    pt: 'Os pescadores saem para o mar quando não há vento. Os barcos que saem para o mar não voltam antes da noite. Uma cooperativa compra o peixe para que os pescadores não o vendam no mar. Quando não há peixe, os barcos que ficam no porto são pintados para a festa.',
    it: 'Le barche della cooperativa sono nella baia. I pescatori che sono nella cooperativa escono con le barche della cooperativa. Il pesce che resta nella baia non è della cooperativa. Le reti sono nella casa che è della cooperativa.',
  };
  const text = texts[language] ?? '';
  expect(text).toContain(opening);
  const { topics } = extractSummary({
    document: { title: null, language, blocks: toBlocks(text) },
    length: 'medium',
    focus: null,
  });
  expect(topics.length).toBeGreaterThan(0);
  const words = topics.flatMap((topic) => topic.toLowerCase().split(' '));
  expect(words.filter((word) => none.includes(word))).toEqual([]);
});

it('takes two lines for two, though the first is as wide as a margin', () => {
  const lines = [
    'border, border-spacing: CSS properties of cell borders, rules, and frame',
    'width: a property',
  ];
  expect(splitText(lines.join('\n'), 'en')).toEqual(lines);
});

it('ends a sentence at a single letter that is no initial', () => {
  const text = 'Take vitamin C. It helps. Ask Dr. J. Smith or George W. Bush. U. S. ships come.';
  expect(splitText(text, 'en')).toEqual([
    'Take vitamin C.',
    'It helps.',
    'Ask Dr. J. Smith or George W. Bush.',
    'U. S. ships come.',
  ]);
});
