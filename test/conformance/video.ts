import { createEgressDoor } from '../../src/shared/egress/door.ts';
import { runExtractor } from '../../src/workers/video/extractor/run-extractor.ts';
import type { ExtractorTask } from '../../src/workers/video/extractor/protocol.ts';
import { startReaper } from '../../src/workers/processes/reaper.ts';
import type { CaseResult } from './egress.ts';
import { startRecordedPlatforms } from './recorded-platforms.ts';

interface RecordedCase {
  id: string;
  task: ExtractorTask;
  /** Reads the facts that are compared; as many as the recording has of its kind. */
  facts(found: any): unknown;
  expected: unknown;
}

const watch = (id: string): string => `https://www.youtube.com/watch?v=${id}`;
const info = (id: string, facts: (found: any) => unknown, expected: unknown): RecordedCase => ({
  id: `youtube info ${id}`,
  task: { task: 'extract', platform: 'youtube', url: watch(id) },
  facts,
  expected,
});

/** What the recordings say, read by eye. */
function casesOf(instance: string): RecordedCase[] {
  const peertube = (id: string, facts: (found: any) => unknown, expected: unknown): RecordedCase => ({
    id: `peertube info ${id}`,
    task: { task: 'extract', platform: 'peertube', url: `${instance}/videos/watch/${id}` },
    facts,
    expected,
  });
  const comments = (id: string, facts: (found: any) => unknown, expected: unknown): RecordedCase => ({
    id: `youtube comments ${id}`,
    task: { task: 'comments', platform: 'youtube', url: watch(id), limit: 100, sort: 'top' },
    facts,
    expected,
  });
  return [
    info(
      'KI7fMGRg0Wk',
      ({ info: it, formats, captions }) => [
        it.title,
        it.durationSeconds,
        it.publishedAt,
        it.stats,
        it.categories,
        it.live,
        it.unlisted,
        it.ageLimit,
        it.channel,
        it.chapters.length,
        it.chapters[1],
        it.chapters.at(-1).endSeconds,
        it.language,
        formats.filter((one: any) => one.downloadable).length,
        captions.map((one: any) => [one.language, one.kind]),
      ],
      [
        'tagesschau 20:00 Uhr, 17.03.2021',
        953,
        '2021-03-17T19:56:59.000Z',
        { views: 290_135, likes: 2_560, comments: 1_100 },
        ['News & Politics'],
        false,
        false,
        0,
        {
          id: 'UC5NOEUbkLheQcaaRldYW5GA',
          name: 'tagesschau',
          url: 'https://www.youtube.com/@tagesschau',
          followers: 2_140_000,
        },
        13,
        {
          title:
            'Corona-Inzidenzwerte erreichen zum Teil die zwischen Bund und Ländern vereinbarte Notbremse',
          startSeconds: 18,
          endSeconds: 196,
        },
        953,
        'de',
        7,
        [['de', 'auto']],
      ],
    ),
    info(
      'M4gD1WSo5mA',
      ({ info: it }) => [
        it.license,
        it.tags.length,
        it.chapters,
        it.captionLanguages.map((one: any) => one.kind),
      ],
      ['Creative Commons Attribution licence (reuse allowed)', 3, [], ['manual', 'auto']],
    ),
    info(
      'cV5TjZCJkuA',
      ({ info: it, formats }) => [
        it.tags.length,
        it.stats,
        it.language,
        it.chapters.map((one: any) => one.startSeconds),
        formats.length,
        new Set(formats.map((one: any) => one.id)).size,
        formats.find((one: any) => one.id === '251-en-US')?.audioCodec,
      ],
      [
        40,
        {
          views: 22111847,
          likes: 348977,
          comments: 28e3,
        },
        'en-US',
        [0, 30, 70, 170, 210, 275, 333],
        80,
        80,
        'opus',
      ],
    ),
    info(
      'X4VbdwhkE10',
      ({ info: it, formats }) => [
        it.live,
        it.durationSeconds,
        it.stats.views,
        it.channel.followers,
        formats.at(-1).protocol,
      ],
      [true, null, 754_262, 15_800_000, 'hls'],
    ),
    info('tjz2u2DiveM', ({ info: it }) => [it.unlisted, it.title, it.durationSeconds, it.stats.likes], [
      true,
      'dog',
      11,
      1_697,
    ]),
    comments(
      'bjFtFMilb34',
      ({ total, disabled, comments: [first, ...more] }) => [
        total,
        disabled,
        more.length,
        first.pinned,
        first.byUploader,
        first.author.name,
        first.likes,
        more.some((one: any) => one.pinned),
      ],
      [5_145, false, 19, true, true, '@lemondefr', 67, false],
    ),
    comments(
      'xaQJbozY_Is',
      ({ total, comments: all }) => {
        const replies = all.filter((one: any) => one.parentId !== null);
        return [
          total,
          replies.length,
          new Set(replies.map((one: any) => one.parentId)).size,
          replies[0].text,
          replies[0].likes,
        ];
      },
      [21_051, 10, 1, 'First', 52],
    ),
    {
      id: 'youtube search, corrected',
      task: { task: 'search', platform: 'youtube', query: 'pewdeipie', limit: 50 },
      facts: ({ correctedQuery, items }) => [
        correctedQuery,
        items.length,
        items[0].durationSeconds,
        items[0].views,
      ],
      expected: ['pewdiepie', 39, 1_337, 1_014_532],
    },
    {
      id: 'youtube search',
      task: { task: 'search', platform: 'youtube', query: 'test', limit: 45 },
      facts: ({ correctedQuery, items }) => [correctedQuery, items.length, items[0].id],
      expected: [null, 45, 'Z8KYabgkMbw'],
    },
    peertube(
      '9c9de5e8-0a1e-484a-b099-e80766180a6d',
      ({ info: it, formats }) => [
        it.title,
        it.durationSeconds,
        it.publishedAt,
        it.stats,
        it.tags,
        it.categories,
        it.license,
        it.language,
        it.channel.name,
        it.channel.followers,
        it.captionLanguages.length,
        formats.length,
        formats[0].height,
      ],
      [
        'What is PeerTube?',
        113,
        '2018-10-01T10:52:46.396Z',
        {
          views: 143684,
          likes: 31,
          comments: 10,
        },
        ['framasoft', 'peertube'],
        ['Science & Technology'],
        'Attribution - Share Alike',
        'en',
        'A propos de PeerTube',
        216,
        34,
        6,
        1080,
      ],
    ),
    peertube(
      'ee408ec8-07cd-4e35-b884-fb681a4b9d37',
      ({ info: it, formats }) => [
        it.license,
        it.language,
        it.captionLanguages,
        formats.filter((one: any) => one.kind === 'audio').length,
      ],
      ['Public Domain Dedication', null, [], 1],
    ),
    peertube(
      'd5907aad-2252-4207-89ec-a4b687b9337d',
      ({ info: it }) => [it.publishedAt, it.license, it.tags],
      ['2012-08-16T14:59:16.000Z', null, ['Hadopi', 'source originale']],
    ),
    {
      id: 'peertube comments',
      task: {
        task: 'comments',
        platform: 'peertube',
        url: `${instance}/w/kkGMgK9ZtnKfYAgnEtQxbv`,
        limit: 50,
        sort: 'top',
      },
      facts: ({ disabled, comments: all }) => [
        disabled,
        all.length,
        all[0].text,
        all[0].publishedAt,
        all[0].author.id,
      ],
      expected: [
        false,
        9,
        'Very well explained.',
        '2025-07-10T21:39:33.797Z',
        'grrg@videos.abnormalbeings.space',
      ],
    },
  ];
}

/** Reads the recorded answers of YouTube and PeerTube, each by the extractor's own process. */
export async function runVideoCases(sharedFolder: string): Promise<CaseResult[]> {
  await using platforms = await startRecordedPlatforms(sharedFolder);
  const origin = platforms.url.slice(0, -1);
  await using door = createEgressDoor({ allow: [`127.0.0.1:${platforms.port}`] });
  await using reaper = startReaper();
  const settings = {
    youtubeUrl: origin,
    youtubeCookies: null,
    youtubePoToken: null,
    peertubeSearchUrl: origin,
  };
  const results: CaseResult[] = [];
  for (const { id, task, facts, expected } of casesOf(origin)) {
    await using lease = door.openLease();
    const { signal } = new AbortController();
    const got = await runExtractor(task, { lease, reaper, settings, signal, timeoutMs: 60_000 }).then(
      (found) => JSON.stringify(facts(found)),
      (error: unknown) => String(error),
    );
    const wanted = JSON.stringify(expected);
    results.push({ id, ok: got === wanted, expected: wanted, got });
  }
  return results;
}
