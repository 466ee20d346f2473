import { describe, expect, test } from 'vitest';
import type { CaptionLanguage } from '../../src/shared/schemas/video.ts';
import arrangeArticle from '../../src/workers/summarize/arrange-article.ts';
import findQuotes from '../../src/workers/summarize/find-quotes.ts';
import { writeArticleMarkdown } from '../../src/workers/summarize/transcript/article-markdown.ts';
import { chooseCaptions } from '../../src/workers/summarize/transcript/choose-captions.ts';
import restoreSentences from '../../src/workers/summarize/transcript/restore-sentences.ts';

/** Lines one behind the other, of two seconds each where nothing else is said. */
function captions(...lines: (string | [text: string, startSeconds: number])[]) {
  let end = 0;
  return lines.map((line) => {
    const [text, startSeconds] = typeof line === 'string' ? [line, end] : line;
    end = startSeconds + 2;
    return { text, startSeconds, durationSeconds: 2 };
  });
}

const restore = (
  segments: ReturnType<typeof captions>,
  language: string | null = 'en',
  chapterStarts: number[] = [],
) =>
  restoreSentences({ segments, chapterStarts, language }).sentences.map(({ text, startSeconds }) => [
    startSeconds,
    text,
  ]);

describe('sentences are restored from captions', () => {
  test('by their punctuation, across lines and within them, each with its moment', () => {
    const lines = captions(
      'The mill was built in 1720. It',
      'ground flour for Dr. Smith and',
      'his valley. It burned.',
    );
    expect(restore(lines)).toEqual([
      [0, 'The mill was built in 1720.'],
      [1.87, 'It ground flour for Dr. Smith and his valley.'],
      [5.09, 'It burned.'],
    ]);
  });

  test('without what is heard but not said, and marks of who speaks', () => {
    const lines = captions(
      '[Music]',
      '>> Hello there.',
      '- Good\u00a0morning. [Applause]',
      '♪ la la ♪',
      '(laughs)',
    );
    expect(restore(lines).map(([, text]) => text)).toEqual(['Hello there.', 'Good morning. la la.']);
  });

  test('at pauses and before words that begin a clause, where there is no punctuation', () => {
    const lines = captions(
      'welcome to the channel today we look at',
      'the old mill on the river which my',
      'grandfather built with his own hands',
      ['the wheel is made of oak and it turns', 12],
      'as long as the river does not freeze in',
      'the winter so we have to take care of the',
      'ice every single morning before the sun',
      'comes up over the hills in the east',
    );
    const sentences = restore(lines).map(([, text]) => text as string);
    expect(sentences).toContain(
      'The wheel is made of oak and it turns as long as the river does not freeze in the winter.',
    );
    expect(sentences.some((text) => text.startsWith('So we have to take care'))).toBe(true);
    for (const text of sentences) {
      expect(text).toMatch(/^\p{Lu}.*\.$/u);
      expect(text.split(' ').length).toBeLessThanOrEqual(45);
    }
    const words = (text: string) => text.toLowerCase().match(/\w+/g);
    expect(words(sentences.join(' '))).toEqual(words(lines.map(({ text }) => text).join(' ')));
  });

  test('where chapters begin, but not within what has its punctuation', () => {
    const speech = captions(
      'we have seen how the wheel turns and',
      'what it drives in the house below it the',
      'stone is what we look at next it weighs',
      'two tons and came from the south',
    );
    // Marked in the whole second behind which it is said.
    expect(restore(speech, 'en', [0, 4])).toEqual([
      [0, 'We have seen how the wheel turns and what it drives in the house below it the.'],
      [4, 'Stone is what we look at next it weighs two tons and came from the south.'],
    ]);
    // The likeliest beginning is near the mark, not at it.
    const paused = captions('we have seen the wheel', 'and its house', ['now the stone', 5.5], 'is next');
    expect(restore(paused, 'en', [5]).map(([start]) => start)).toEqual([0, 5.5]);
    const written = captions('We have seen how the wheel', 'turns below the house.', 'The stone comes next.');
    expect(restore(written, 'en', [2])).toEqual(restore(written));
    // Chapters behind the end and before the beginning, and more of them than words.
    const many = Array.from({ length: 500 }, (_, at) => at - 100);
    expect(restore(speech, 'en', many).length).toBeLessThan(10);
  });

  test('in scripts without spaces', () => {
    expect(restore(captions('今日は水車小屋に', '行きました。とても古い'), 'ja')).toEqual([
      [0, '今日は水車小屋に行きました。'],
      [3.09, 'とても古い。'],
    ]);
  });

  test('in time that grows with their number alone', () => {
    const many = captions(...Array.from({ length: 20_000 }, (_, at) => `and word ${at} goes on`));
    expect(restore(many).length).toBeGreaterThan(2_000);
    expect(restore(captions('x'.repeat(400_000))).length).toBeLessThan(30);
  });
});

test('a quote is found in captions whatever its punctuation and capitals, and told as they have it', () => {
  const { cues, sentences } = restoreSentences({
    segments: captions('so the wheel', 'is made of oak'),
    chapterStarts: [],
    language: 'en',
  });
  const quotes = [sentences[0]?.text ?? '', 'The wheel is made of gold.'];
  expect(findQuotes({ blocks: cues, quotes, isSpoken: true })).toEqual([
    { text: 'so the wheel is made of oak', block: 0 },
    null,
  ]);
  expect(findQuotes({ blocks: cues, quotes })).toEqual([null, null]);
});

describe('the captions of a transcript', () => {
  const track = (language: string, kind: 'manual' | 'auto'): CaptionLanguage => ({
    language,
    kind,
    label: null,
  });
  const choose = (captionLanguages: CaptionLanguage[], language: string | null = null) =>
    chooseCaptions({ captionLanguages, language }, null);

  test('are of the language that is spoken, those of people first', () => {
    const all = [track('de', 'auto'), track('en', 'manual'), track('de-AT', 'manual')];
    expect(choose(all, 'de')).toEqual({ lang: 'de-AT', kind: 'manual' });
    expect(choose(all)).toEqual({ lang: 'de-AT', kind: 'manual' });
    expect(choose([track('fr', 'manual'), track('de', 'auto')])).toEqual({ lang: 'de', kind: 'auto' });
    expect(choose([track('fr', 'manual'), track('en', 'manual')])).toEqual({ lang: 'en', kind: 'manual' });
    expect(choose([track('en', 'manual'), track('iw', 'manual')], 'he').lang).toBe('iw');
    expect(choose([track('fr', 'manual')], 'it')).toEqual({ lang: 'fr', kind: 'manual' });
  });

  test('are what the client asks for, and any where there are none, whose caption call says why', () => {
    expect(chooseCaptions({ captionLanguages: [], language: 'en' }, 'fr')).toEqual({
      lang: 'fr',
      kind: 'any',
    });
    expect(choose([])).toEqual({ lang: 'en', kind: 'any' });
    expect(choose([], 'de')).toEqual({ lang: 'de', kind: 'any' });
  });
});

describe('the sections of a transcript', () => {
  const blocks = Array.from({ length: 120 }, (_, at) => ({
    text: `In minute ${at} the ${at < 60 ? 'water wheel' : 'grinding stone'} of the mill is shown from all of its sides.`,
    startSeconds: at * 60 + 0.4,
  }));
  const document = { title: 'The mill', language: 'en', blocks };
  const chapters = [0, 1_800, 3_600].map((startSeconds) => ({ title: `At ${startSeconds}`, startSeconds }));

  test('are its chapters, which begin where they say', () => {
    const sections = arrangeArticle({ document, chapters });
    expect(sections.map(({ heading, startSeconds, from }) => [heading, startSeconds, from])).toEqual([
      ['At 0', 0, 0],
      ['At 1800', 1_800, 30],
      ['At 3600', 3_600, 60],
    ]);
    for (const { highlights, ranking } of sections) {
      expect(highlights.length).toBeGreaterThan(1);
      expect(ranking.toSorted((a, b) => a - b)).toEqual([...highlights.keys()]);
    }
  });

  test('begin with the sentence that is said there, though its first word is before the mark', () => {
    const said = [
      ['The wheel was the first thing that the miller had built.', 0],
      ['Now we come to the stone, which weighs more than two tons.', 28.5],
      ['It came from the south.', 33],
      // Then nobody speaks.
      ['And that is all there is to say of the stone and its making.', 50],
    ].map(([text, startSeconds]) => ({ text: String(text), startSeconds: Number(startSeconds) }));
    const marks = [0, 30, 60].map((startSeconds) => ({ title: `At ${startSeconds}`, startSeconds }));
    const sections = arrangeArticle({
      document: { title: null, language: 'en', blocks: said },
      chapters: marks,
    });
    expect(sections.map(({ heading, from, to }) => [heading, from, to])).toEqual([
      ['At 0', 0, 1],
      ['At 30', 1, 4],
    ]);
  });

  test('are divided where a model cannot read them whole', () => {
    const sections = arrangeArticle({ document, chapters, maxCharacters: 2_000 });
    expect(sections.filter(({ isNamed }) => isNamed)).toHaveLength(3);
    expect(sections.length).toBeGreaterThan(4);
    for (const { paragraphs } of sections) expect(paragraphs.join(' ').length).toBeLessThan(3_000);
  });
});

test('the markdown of an article links each section to its moment, and lets no title become more than a title', () => {
  const section = { heading: 'Wheel\n# and [stone](x)', startSeconds: 3_725.4, markdown: 'It turns.' };
  const write = (url: string, platform: string) =>
    writeArticleMarkdown({ url, platform, title: 'The <b>mill</b>' }, [section]).split('\n\n');
  expect(write('https://www.youtube.com/watch?v=a', 'youtube')).toEqual([
    '# The \\<b\\>mill\\</b\\>',
    '## Wheel # and \\[stone\\](x)',
    '[1:02:05](https://www.youtube.com/watch?v=a&t=3725s)',
    'It turns.\n',
  ]);
  expect(write('https://tube.example/w/b', 'peertube')[2]).toBe(
    '[1:02:05](https://tube.example/w/b?start=3725s)',
  );
  expect(write('https://a.example/c(1).mp4', 'page')[2]).toBe(
    '[1:02:05](https://a.example/c%281%29.mp4#t=3725)',
  );
});
