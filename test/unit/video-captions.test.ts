import { describe, expect, test } from 'vitest';

import type { AppError } from '../../src/shared/errors.ts';
import { joinText, writeSrt, writeVtt } from '../../src/shared/schemas/caption-texts.ts';
import { chooseTrack } from '../../src/workers/video/captions/choose-track.ts';
import { parseCaptions } from '../../src/workers/video/captions/parse-captions.ts';
import type { CaptionTrack } from '../../src/workers/video/platforms/platform.ts';

const read = async (text: string, type: string | null = null) =>
  (await parseCaptions(text, type)).map(({ startSeconds, durationSeconds, text: words }) => [
    startSeconds,
    durationSeconds,
    words,
  ]);

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not fail',
    (error: AppError) => error.code,
  );

describe('captions are read from', () => {
  test('WebVTT, without its markup', async () => {
    const vtt =
      'WEBVTT\nKind: captions\n\nSTYLE\n::cue { color: red }\n\n1\n00:00:01.000 --> 00:00:02.500 align:start\n' +
      '<v Bob>Hello <b>there</b> &amp; you\nsecond line\n\n01:00:02.500 --> 01:00:03.000\nlater\n';
    expect(await read(vtt)).toEqual([
      [1, 1.5, 'Hello there & you\nsecond line'],
      [3602.5, 0.5, 'later'],
    ]);
  });

  test('SubRip', async () => {
    const srt =
      '1\r\n00:00:01,000 --> 00:00:02,000\r\nHi <i>you</i>\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,250\r\n{\\an8}Yo\r\n';
    expect(await read(srt)).toEqual([
      [1, 1, 'Hi you'],
      [3, 1.25, 'Yo'],
    ]);
  });

  test('TTML, whatever its prefix and its way to write times', async () => {
    const ttml =
      '<?xml version="1.0"?><tt:tt xmlns:tt="http://www.w3.org/ns/ttml" ttp:frameRate="25" ttp:tickRate="10000"><tt:body><tt:div>' +
      '<tt:p begin="00:00:01.500" end="00:00:03:05">One<tt:br/>two &amp; <tt:span>three</tt:span></tt:p>' +
      '<tt:p begin="40000t" dur="500ms">four</tt:p></tt:div></tt:body></tt:tt>';
    expect(await read(ttml, 'application/ttml+xml')).toEqual([
      [1.5, 1.7, 'One\ntwo & three'],
      [4, 0.5, 'four'],
    ]);
    const smil =
      '<tt><body><div><p begin="1.5" end="2">seconds</p><p begin="00:03.5" end="1:04">minutes</p>' +
      '<p begin="00:01:10,500" end="00:01:12,000">with a comma</p></div></body></tt>';
    expect(await read(smil)).toEqual([
      [1.5, 0.5, 'seconds'],
      [3.5, 60.5, 'minutes'],
      [70.5, 1.5, 'with a comma'],
    ]);
  });

  test('TTML whose head has styles, whose times are within each other, and whose text is CDATA', async () => {
    const ttml =
      '<tt xmlns="http://www.w3.org/ns/ttml"><head><metadata><ttm:title>T</ttm:title></metadata>' +
      '<styling><style xml:id="s1" tts:color="white"/><style xml:id="s2"/></styling><layout><region xml:id="r"/></layout></head>' +
      '<body style="s1"><div begin="10s"><p begin="1s" end="2s" style="s1">within</p><p/></div>' +
      '<div><p xml:id="p3"><span begin="20s" end="21s">by</span> <span begin="21s" end="22s">spans &lt;3</span></p>' +
      '<p begin="30s" dur="1s"><![CDATA[a < b &amp; <i>c</i>]]></p><p begin="x">never</p></div></body></tt>';
    expect(await read(ttml)).toEqual([
      [11, 1, 'within'],
      [20, 1, 'by'],
      [21, 1, 'spans <3'],
      [30, 1, 'a < b &amp; <i>c</i>'],
    ]);
  });

  test('SubRip without numbers or hours, and what looks like markup', async () => {
    expect(
      await read('00:01,000 --> 00:02,000\n2 < 3 and 4 > 1\n\n00:02,500 --> 00:03,000\nI <3 you\n'),
    ).toEqual([
      [1, 1, '2 < 3 and 4 > 1'],
      [2.5, 0.5, 'I <3 you'],
    ]);
    const odd =
      '\uFEFF\r\n1 \r\n00:00:01.000 --> 00:00:02.000 X1:40 X2:600\r\n<font color="#fff">&lt;b&gt; &amp;nbsp;&nbsp;&#x1F600;</font>\r\n';
    expect(await read(odd)).toEqual([[1, 1, '<b> &nbsp; \u{1F600}']]);
  });

  test('WebVTT as it is written by hand', async () => {
    expect(
      await read('WEBVTT\n00:00:01,000-->00:00:02,000 line:0\nOne\n\n1000:00:00.5 --> 1000:00:02\nTwo'),
    ).toEqual([
      [1, 1, 'One'],
      [3_600_000.5, 1.5, 'Two'],
    ]);
  });

  test('SubRip whose blank lines stand elsewhere', async () => {
    const srt = (...lines: string[]) => read(lines.join('\n'));
    const cues = [
      [1, 1, 'One\n2020'],
      [3, 1, 'Two'],
    ];
    const [first, second] = ['00:00:01,000 --> 00:00:02,000', '00:00:03,000 --> 00:00:04,000'];
    expect(await srt('1', first, 'One', '2020', '2', second, 'Two')).toEqual(cues);
    expect(await srt('1', '', first, '', 'One', '', '2020', '', '2', '', second, '', 'Two', '')).toEqual(
      cues,
    );
    expect(await srt(first, '', 'One', '2020', '', second, 'Two')).toEqual(cues);
    expect(await srt('By somebody', '', '1', first, 'One', '2020', '2', second, 'Two')).toEqual(cues);
  });

  test('TTML whose paragraphs have the times of what they stand in', async () => {
    const ttml =
      '<tt><body><div begin="5s" end="7s"><p>of the div</p></div><div begin="10s" dur="4s"><p begin="1s">till its end</p>' +
      '<p end="1s">from its begin</p><p><span begin="2s" dur="1s">by a span</span></p></div><p>never</p></body></tt>';
    expect(await read(ttml)).toEqual([
      [5, 2, 'of the div'],
      [10, 1, 'from its begin'],
      [11, 3, 'till its end'],
      [12, 1, 'by a span'],
    ]);
  });

  test('json3 whose first line begins before the video', async () => {
    const event = { tStartMs: -500, dDurationMs: 1_000, segs: [{ utf8: 'early' }] };
    expect(await read(JSON.stringify({ events: [event] }))).toEqual([[0, 1, 'early']]);
  });

  test('json3 whose numbers are texts', async () => {
    const event = { tStartMs: '1200', dDurationMs: '300', segs: [{ utf8: 'said' }] };
    expect(await read(JSON.stringify({ events: [event] }))).toEqual([[1.2, 0.3, 'said']]);
  });

  test('what is damaged, as far as it goes', async () => {
    const vtt =
      'WEBVTT\n\n00:00:05.000 --> 00:00:04.000\nbackwards\n\n00:00:99.000 --> x\nno time\n\n00:00:06.000 --> 00:00:07.000\nfine\n';
    expect((await read(vtt)).at(-1)).toEqual([6, 1, 'fine']);
    const events = [
      null,
      {},
      { tStartMs: '1' },
      { tStartMs: 1, segs: [null, { utf8: 3 }] },
      { tStartMs: 2_000, dDurationMs: -5, segs: [{ utf8: 'said' }, null] },
    ];
    expect(await read(JSON.stringify({ events }))).toEqual([[2, 0, 'said']]);
  });

  test("YouTube's json3, whose recognised lines overlap", async () => {
    const events = [
      { tStartMs: 0, dDurationMs: 4000, segs: [{ utf8: 'so' }, { utf8: ' here', tOffsetMs: 300 }] },
      { tStartMs: 2000, dDurationMs: 10, aAppend: 1, segs: [{ utf8: '\n' }] },
      { tStartMs: 2000, dDurationMs: 4000, segs: [{ utf8: 'we are' }] },
      { tStartMs: 4500, dDurationMs: 1000, segs: [{ utf8: 'again' }] },
      { tStartMs: 9000, wWinId: 1 },
    ];
    expect(await read(JSON.stringify({ wireMagic: 'pb3', events }))).toEqual([
      [0, 2, 'so here'],
      [2, 2.5, 'we are'],
      [4.5, 1, 'again'],
    ]);
  });
});

test('rolling captions say each line once', async () => {
  const rolling = [
    'WEBVTT',
    '00:00:00.000 --> 00:00:02.000\n \nfirst<00:00:00.500><c> line</c>',
    '00:00:02.000 --> 00:00:02.010\nfirst line\n ',
    '00:00:02.010 --> 00:00:04.000\nfirst line\nsecond line',
    '00:00:04.000 --> 00:00:04.010\nsecond line\n ',
    '00:00:04.010 --> 00:00:06.000\nsecond line\nthird line',
  ].join('\n\n');
  expect(await read(rolling)).toEqual([
    [0, 2.01, 'first line'],
    [2.01, 2, 'second line'],
    [4.01, 1.99, 'third line'],
  ]);
});

test('who repeats a line has said it twice', async () => {
  const words = ['one', 'two', 'la la', 'la la', 'three', 'four'];
  const song = words.map((line, at) => `00:00:0${at}.000 --> 00:00:0${at + 1}.000\n${line}`);
  expect((await read(['WEBVTT', ...song].join('\n\n'))).map(([, , text]) => text)).toEqual(words);
});

test('a page in place of captions is a block, and anything else an error', async () => {
  for (const text of [
    'WEBVTT\n\n1:2:3:4 --> 5\nno times',
    '<tt><body><div><p begin="now" end="then">no times</p><p><span begin="now">nor here</span></p></div></body></tt>',
    JSON.stringify({ events: [{ tStartMs: 'soon', segs: [{ utf8: 'no times' }] }] }),
    '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
    '<?xml version="1.0"?><transcript><text start="0" dur="1">Hi</text></transcript>',
  ])
    expect(await codeOf(parseCaptions(text, null)), text).toBe('unsupported_content');
  expect(await read('WEBVTT\n\n', 'application/ttml+xml')).toEqual([]);
  expect(await read('<tt><body><div><p> </p></div></body></tt>')).toEqual([]);
  expect(await read(JSON.stringify({ events: [{ wWinId: 1 }, { segs: [{ utf8: '\n' }] }] }))).toEqual([]);
  expect(await codeOf(parseCaptions('<!DOCTYPE html><html><body>Sorry</body></html>', 'text/vtt'))).toBe(
    'platform_blocked',
  );
  expect(await codeOf(parseCaptions('just words', 'text/plain'))).toBe('unsupported_content');
  expect(await codeOf(parseCaptions('{"events"', null))).toBe('unsupported_content');
  expect(await codeOf(parseCaptions('{}', null))).toBe('unsupported_content');
});

describe('of the tracks', () => {
  const track = (language: string, kind: 'manual' | 'auto'): CaptionTrack => ({
    language,
    kind,
    label: null,
    url: `http://a/${language}/${kind}`,
    headers: {},
  });
  const tracks = [
    track('en', 'auto'),
    track('en-GB', 'manual'),
    track('pt-BR', 'manual'),
    track('de', 'auto'),
    track('de', 'manual'),
  ];
  const choose = (language: string, kind: 'any' | 'manual' | 'auto' = 'any') =>
    chooseTrack(tracks, { language, kind });

  test('the exact language goes before its base, and people before recognition', () => {
    expect(choose('de')).toMatchObject({ language: 'de', kind: 'manual' });
    expect(choose('de', 'auto')).toMatchObject({ language: 'de', kind: 'auto' });
    expect(choose('en')).toMatchObject({ language: 'en', kind: 'auto' });
    expect(choose('en', 'manual')).toMatchObject({ language: 'en-GB' });
    expect(choose('en-US')).toMatchObject({ language: 'en-GB', kind: 'manual' });
    expect(choose('PT')).toMatchObject({ language: 'pt-BR' });
    expect(choose('pt_BR')).toMatchObject({ language: 'pt-BR' });
  });

  test('the base goes before its other regions, and the script before all', () => {
    const among = (languages: string[], language: string) =>
      chooseTrack(
        languages.map((one) => track(one, 'manual')),
        { language, kind: 'any' },
      ).language;
    expect(among(['pt-PT', 'pt'], 'pt-BR')).toBe('pt');
    expect(among(['zh-Hans', 'zh-Hant'], 'zh-TW')).toBe('zh-Hant');
    expect(among(['zh-Hans', 'zh-HK'], 'zh-TW')).toBe('zh-HK');
    expect(among(['no-tag-at-all-really', 'no'], 'no')).toBe('no');
    expect(among(['en', 'iw'], 'he')).toBe('iw');
    expect(among(['en', 'id'], 'in')).toBe('id');
    expect(among(['en', 'tl'], 'fil-PH')).toBe('tl');
    expect([among(['nn', 'nb-NO'], 'no'), among(['nn', 'no'], 'nb')]).toEqual(['nb-NO', 'no']);
    expect(among(['no', 'nb'], 'nb')).toBe('nb');
  });

  test('where there is none, the error says what there is', () => {
    const fails = (work: () => unknown): AppError => {
      try {
        work();
      } catch (error) {
        return error as AppError;
      }
      throw new Error('it did not fail');
    };
    const error = fails(() => choose('fr'));
    expect(error.code).toBe('captions_unavailable');
    expect(error.detail).toContain('en-GB (manual)');
    expect(error.extensions).toMatchObject({ available: { length: 5 } });
    expect(fails(() => chooseTrack([], { language: 'en', kind: 'any' })).extensions).toEqual({
      available: [],
    });
  });
});

test('captions are written as SubRip, WebVTT and text', () => {
  const segments = [
    { startSeconds: 1, durationSeconds: 1.5, text: 'a <b>\nc' },
    { startSeconds: 3725.004, durationSeconds: 0.5, text: 'd' },
  ];
  expect(writeSrt(segments)).toBe(
    '1\n00:00:01,000 --> 00:00:02,500\na <b>\nc\n\n2\n01:02:05,004 --> 01:02:05,504\nd\n',
  );
  expect(writeVtt(segments)).toBe(
    'WEBVTT\n\n00:00:01.000 --> 00:00:02.500\na &lt;b&gt;\nc\n\n01:02:05.004 --> 01:02:05.504\nd\n',
  );
  expect(joinText(segments)).toBe('a <b> c\nd');
});
