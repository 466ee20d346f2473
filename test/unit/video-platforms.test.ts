import { describe, expect, test, vi } from 'vitest';
import type { EgressLease } from '../../src/shared/egress/types.ts';
import { AppError } from '../../src/shared/errors.ts';
import { captionTag } from '../../src/shared/schemas/caption-tag.ts';
import { videoFormat, type VideoInfo, videoInfo } from '../../src/shared/schemas/video.ts';
import captionHandler from '../../src/workers/handlers/video/caption.ts';
import commentsHandler from '../../src/workers/handlers/video/comments.ts';
import infoHandler from '../../src/workers/handlers/video/info.ts';
import searchHandler from '../../src/workers/handlers/video/search.ts';
import { getFormat, getFrameFormat } from '../../src/workers/video/choose-format.ts';
import { emptyFormat } from '../../src/workers/video/platforms/empty-format.ts';
import { settingsFor } from '../../src/workers/video/extractor/run-extractor.ts';
import { isoDate, readCount } from '../../src/workers/video/platforms/loose.ts';
import { page } from '../../src/workers/video/platforms/page/page.ts';
import { type Manifest, readDash, readHls } from '../../src/workers/video/platforms/page/manifest.ts';
import { peertube } from '../../src/workers/video/platforms/peertube/peertube.ts';
import type { PlatformContext } from '../../src/workers/video/platforms/platform.ts';
import { readComments } from '../../src/workers/video/platforms/youtube/comments.ts';
import { readFormats } from '../../src/workers/video/platforms/youtube/formats.ts';
import { findObstacle } from '../../src/workers/video/platforms/youtube/playability.ts';
import { askPlayers } from '../../src/workers/video/platforms/youtube/player.ts';
import { searchVideos } from '../../src/workers/video/platforms/youtube/search.ts';
import { type InnertubeSession, openSession } from '../../src/workers/video/platforms/youtube/session.ts';
import { youtube as youtubePlatform } from '../../src/workers/video/platforms/youtube/youtube.ts';
import { readYtDlp } from '../../src/workers/video/platforms/yt-dlp/read-yt-dlp.ts';
import { probeDownload } from '../../src/workers/video/probe-download.ts';
import { createExtractionCache } from '../../src/workers/video/source/extraction-cache.ts';
import { recognise } from '../../src/workers/video/source/recognise.ts';

const youtube = 'https://www.youtube.com';

test.each([
  ['https://www.youtube.com/e/abcdefghijk', 'youtube'],
  ['https://gaming.youtube.com/watch?v=abcdefghijk', 'youtube'],
  ['https://www.youtu.be/abcdefghijk', 'youtube'],
  ['https://tube.example/w/kkGMgK9ZtnKfYAgnEtQxbv;threadId=1', 'peertube'],
  ['https://tube.example/w/kkGMgK9ZtnKfYAgnEtQxbv/more', 'page'],
  ['https://www.youtube.com/embed/videoseries?list=PL1', 'youtube'],
  ['https://www.youtube.com/embed/live_stream?channel=UC1', 'youtube'],
  ['https://www.youtube.com/playlist?list=PL1', 'youtube'],
  ['https://www.youtube.com/watch?v=short', 'youtube'],
  ['https://youtube.example/watch?v=abcdefghijk', 'page'],
])('%s is of %s', (url, platform) => {
  expect(recognise(new URL(url), youtube).platform).toBe(platform);
});

test.each([
  ['ERROR', 'This video is currently unavailable.', 'video_not_found'],
  ['ERROR', 'This video requires payment to watch', 'video_private'],
  ['ERROR', 'Join this channel to get access to members-only content', 'video_private'],
  ['UNPLAYABLE', 'Video unavailable', 'unsupported_content'],
  ['UNPLAYABLE', "We're processing this video. Check back later.", 'unsupported_content'],
  ['UNPLAYABLE', 'This live stream recording is not available.', 'unsupported_content'],
  ['UNPLAYABLE', "This content isn't available, try again later.", 'platform_blocked'],
  ['LOGIN_REQUIRED', 'Sign in to confirm you’re not a bot', 'platform_blocked'],
])('what YouTube says (%s, %s) is %s', (status, reason, code) => {
  expect(findObstacle({ playabilityStatus: { status, reason } })?.code).toBe(code);
});

test('a video of YouTube without a section of comments says why it cannot be seen', async () => {
  const sessionOf = (player: object) =>
    ({
      ask: async (endpoint: string) => (endpoint === 'player' ? player : {}),
    }) as unknown as InnertubeSession;
  const read = (player: object) =>
    readComments(sessionOf(player), 'abcdefghijk', { limit: 5, sort: 'top' }).catch(
      (error: AppError) => error.code,
    );
  const gone = { playabilityStatus: { status: 'ERROR', reason: 'This video is unavailable' } };
  expect(await read(gone)).toBe('video_not_found');
  const played = { playabilityStatus: { status: 'OK' }, videoDetails: { isLive: true } };
  expect(await read(played)).toEqual({ total: null, disabled: false, comments: [] });
});

test('what one client of YouTube is told of a video counts before what refuses the next ones', async () => {
  const codeOf = (...reasons: (string | Error)[]) => {
    const left = [...reasons];
    const session = {
      ask: async () => {
        const reason = left.shift() ?? 'Sign in to confirm you’re not a bot';
        if (typeof reason !== 'string') throw reason;
        return { playabilityStatus: { status: 'LOGIN_REQUIRED', reason } };
      },
    } as unknown as InnertubeSession;
    return askPlayers(session, 'abcdefghijk').catch((error: AppError) => error.code);
  };
  expect(await codeOf('This is a private video.')).toBe('video_private');
  expect(await codeOf('Sign in to confirm your age')).toBe('video_age_restricted');
  const away = new AppError('upstream_failed', 'YouTube answered 500.');
  expect(await codeOf('Sign in to confirm your age', away, away)).toBe('video_age_restricted');
  expect(await codeOf('Please sign in')).toBe('platform_blocked');
  expect(await codeOf()).toBe('platform_blocked');
});

test('an interface of YouTube that is gone is no video that is gone', async () => {
  const context = {
    settings: { youtubeUrl: youtube, youtubeCookies: null, youtubePoToken: null },
    fetch: async () => new Response('gone', { status: 404 }),
  } as unknown as PlatformContext;
  const session = await openSession(context);
  await expect(askPlayers(session, 'abcdefghijk')).rejects.toMatchObject({ code: 'upstream_failed' });
  await expect(searchVideos(session, 'a', 5)).rejects.toMatchObject({ code: 'upstream_failed' });
});

test('captions whose file is gone are no video that is gone', async () => {
  const context = {
    settings: { youtubeUrl: youtube, youtubePoToken: null },
    fetch: async () => new Response('gone', { status: 404 }),
  } as unknown as PlatformContext;
  const track = {
    language: 'en',
    label: null,
    kind: 'manual',
    url: `${youtube}/t.vtt`,
    headers: {},
  } as const;
  for (const platform of [youtubePlatform, peertube, page])
    await expect(platform.readCaptions?.(track, context), platform.name).rejects.toMatchObject({
      code: 'captions_unavailable',
    });
});

const thread = (key: string) => ({
  commentThreadRenderer: { commentViewModel: { commentViewModel: { commentKey: key } } },
});
const payload = (key: string) => ({
  commentEntityPayload: { key, properties: { commentId: key, content: { content: key } } },
});

test('a comment on YouTube has as many likes as are told, and none where that is blank', async () => {
  const likesOf = async (likeCountNotliked?: unknown) => {
    const entity = { key: 'a', properties: { commentId: 'a' }, toolbar: { likeCountNotliked } };
    const answer = {
      onResponseReceivedEndpoints: [
        {
          reloadContinuationItemsCommand: {
            continuationItems: [
              { commentThreadRenderer: { commentViewModel: { commentViewModel: { commentKey: 'a' } } } },
            ],
          },
        },
      ],
      frameworkUpdates: [{ commentEntityPayload: entity }],
    };
    const first = {
      itemSectionRenderer: {
        sectionIdentifier: 'comment-item-section',
        contents: [
          { continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token: 'a' } } } },
        ],
      },
    };
    const session = {
      ask: async (_: string, asked: { continuation?: string }) =>
        asked.continuation === undefined ? first : answer,
    } as unknown as InnertubeSession;
    const { comments } = await readComments(session, 'abcdefghijk', { limit: 5, sort: 'top' });
    return comments.map(({ likes }) => likes);
  };
  expect(await likesOf('1.2K')).toEqual([1_200]);
  expect(await likesOf(17)).toEqual([17]);
  for (const none of ['', ' ']) expect(await likesOf(none)).toEqual([0]);
  for (const unknown of [undefined, null, 'Like', {}]) expect(await likesOf(unknown)).toEqual([null]);
});

describe('what YouTube tells in a form that is not known', () => {
  const section = (...contents: object[]) => ({
    itemSectionRenderer: { sectionIdentifier: 'comment-item-section', contents },
  });
  const more = (token: string) => ({
    continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token } } },
  });
  const items = (...continuationItems: object[]) => ({
    onResponseReceivedEndpoints: [{ reloadContinuationItemsCommand: { continuationItems } }],
  });
  const header = (count: string) => ({ commentsHeaderRenderer: { countText: { simpleText: count } } });
  const message = (text: string) => section({ messageRenderer: { text: { simpleText: text } } });
  const read = (first: object, then: object = {}, sort: 'top' | 'new' = 'top') => {
    const session = {
      ask: async (_: string, asked: { continuation?: string }) =>
        asked.continuation === undefined ? first : then,
    } as unknown as InnertubeSession;
    return readComments(session, 'abcdefghijk', { limit: 5, sort }).catch((error: AppError) => error.code);
  };

  test('are no comments that are none', async () => {
    expect(await read(section(more('a')), items(header('1,234 Comments'), { newRenderer: {} }))).toBe(
      'upstream_failed',
    );
    expect(await read(section(more('a')), items({ newRenderer: {} }))).toBe('upstream_failed');
    expect(await read(section({ newRenderer: {} }))).toBe('upstream_failed');
    const elsewhere = { onNewReceived: [header('1,234 Comments'), { commentThreadRenderer: {} }] };
    expect(await read(section(more('a')), elsewhere)).toBe('upstream_failed');
    expect(await read(message('Sign in to see comments'))).toBe('unsupported_content');
    expect(await read(message('Sign in to confirm you’re not a bot'))).toBe('platform_blocked');
    expect(await read(section(more('a')), items(header('0 Comments')))).toMatchObject({
      total: 0,
      comments: [],
    });
    // One that is held back is counted, and not told.
    expect(await read(section(more('a')), items(header('1 Comment')))).toMatchObject({
      total: 1,
      comments: [],
    });
    expect(await read(message('Comments are turned off.'))).toMatchObject({ disabled: true, comments: [] });
  });

  test('are no newest comments where no order is offered', async () => {
    const answer = {
      ...items(header('2 Comments'), thread('a'), thread('b')),
      frameworkUpdates: [payload('a'), payload('b')],
    };
    // Of the video: of no failure of the platform, which would close it to others.
    expect(await read(section(more('a')), answer, 'new')).toBe('unsupported_content');
    expect(await read(section(more('a')), answer)).toMatchObject({ total: 2, comments: [{}, {}] });
  });

  test('are no results that are none', async () => {
    const search = (...contents: object[]) => {
      const answer = { contents: [{ itemSectionRenderer: { contents } }] };
      const session = { ask: async () => answer } as unknown as InnertubeSession;
      return searchVideos(session, 'a', 5).catch((error: AppError) => error.code);
    };
    expect(await search({ lockupViewModel: {} })).toBe('upstream_failed');
    for (const name of ['videoWithContextRenderer', 'gridVideoRenderer', 'reelItemRenderer'])
      expect(await search({ [name]: {} })).toBe('upstream_failed');
    for (const name of ['backgroundPromoRenderer', 'clarificationRenderer', 'infoPanelContainerRenderer'])
      expect(await search({ [name]: {} })).toMatchObject({ items: [] });
  });
});

test('what YouTube sends in part only is told as such', async () => {
  const more = {
    continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token: 'a' } } },
  };
  const sessionOf = (...answers: object[]) =>
    ({
      ask: async () => {
        const answer = answers.shift();
        if (answer === undefined) throw new Error('No answer');
        return answer;
      },
    }) as unknown as InnertubeSession;
  const found = { items: [{ videoRenderer: { videoId: 'a' } }, more] };
  expect(await searchVideos(sessionOf(found), 'a', 5)).toMatchObject({ items: [{}], isPartial: true });
  expect(await searchVideos(sessionOf(found), 'a', 1)).not.toHaveProperty('isPartial');

  const section = { itemSectionRenderer: { sectionIdentifier: 'comment-item-section', contents: [more] } };
  const first = {
    onResponseReceivedEndpoints: [
      { reloadContinuationItemsCommand: { continuationItems: [thread('a'), more] } },
    ],
    frameworkUpdates: [payload('a')],
  };
  const bounds = { limit: 5, sort: 'top' } as const;
  const comments = await readComments(sessionOf(section, first), 'abcdefghijk', bounds);
  expect(comments).toMatchObject({ comments: [{}], isPartial: true });
  const warned: string[] = [];
  const job = { warn: (code: string) => void warned.push(code) };
  const videos = { comments: async () => comments, search: async () => ({ items: [], isPartial: true }) };
  const asked = { url: 'https://youtu.be/abcdefghijk', ...bounds };
  expect(await commentsHandler.run(asked, job as never, { videos } as never)).not.toHaveProperty('isPartial');
  await searchHandler.run({ q: 'a', limit: 5, platform: 'youtube' }, job as never, { videos } as never);
  expect(warned).toEqual(['comments_incomplete', 'results_incomplete']);
});

test('what is found on YouTube while it is live has watchers, not views', async () => {
  const counts = ['1,234 watching', '12 waiting', 'No views', '4,711 views'];
  const answer = counts.map((simpleText, at) => ({
    videoRenderer: { videoId: `video${at}`, viewCountText: { simpleText } },
  }));
  const session = { ask: async () => ({ answer }) } as unknown as InnertubeSession;
  const { items } = await searchVideos(session, 'a', 5);
  expect(items.map(({ views }) => views)).toEqual([null, null, 0, 4_711]);
});

test('what is found on YouTube is live where its badge or the mark on its picture says so', async () => {
  const overlay = (style: string) => ({
    thumbnailOverlays: [{ thumbnailOverlayTimeStatusRenderer: { style } }],
  });
  const badge = { badges: [{ metadataBadgeRenderer: { style: 'BADGE_STYLE_TYPE_LIVE_NOW' } }] };
  const answer = [overlay('LIVE'), overlay('DEFAULT'), badge, {}].map((own, at) => ({
    videoRenderer: { videoId: `video${at}`, ...own },
  }));
  const session = { ask: async () => ({ answer }) } as unknown as InnertubeSession;
  const { items } = await searchVideos(session, 'a', 5);
  expect(items.map(({ live }) => live)).toEqual([true, false, true, false]);
});

test('each format of YouTube has an id of its own, and one without a number or a kind is none', () => {
  const mimeType = 'audio/mp4; codecs="mp4a.40.2"';
  const adaptiveFormats = [
    { itag: 140, mimeType, audioTrack: { id: 'en.4' } },
    { itag: 140, mimeType, audioTrack: { id: 'en.2' } },
    { itag: 140, mimeType, audioTrack: { id: 'de.3' } },
    { itag: '251', mimeType, isDrc: true },
    { mimeType },
    { itag: 137 },
  ];
  const found = readFormats({ streamingData: { formats: [{ itag: 18 }], adaptiveFormats } }, null);
  expect(found.map(({ id, language }) => [id, language])).toEqual([
    ['18', null],
    ['140-en.4', 'en'],
    ['140-en.2', 'en'],
    ['140-de', 'de'],
    ['251-drc', null],
  ]);
});

describe('PeerTube', () => {
  const watch = 'https://tube.example/videos/embed/9c9de5e8-0a1e-484a-b099-e80766180a6d';
  const docs = 'https://docs.joinpeertube.org/api-rest-reference.html#operation/getVideo';
  /** By the end of the address that is asked. */
  const contextOf = (answers: Record<string, [status: number, body: object]>): PlatformContext => ({
    settings: { peertubeSearchUrl: 'https://tube.example' } as PlatformContext['settings'],
    fetch: async (url) => {
      const [, [status, body]] = Object.entries(answers).find(([end]) => String(url).includes(end)) ?? [
        '',
        [404, {}],
      ];
      return Response.json(body, { status });
    },
  });
  const codeOf = (status: number, body: object) =>
    peertube
      .extract(new URL(watch), contextOf({ '/api/': [status, body] }))
      .catch((error: AppError) => error.code);

  test('is told from other sites by its errors', async () => {
    for (const status of [401, 404, 500])
      expect(await codeOf(status, { error: 'No route' }), `${status}`).toBe(null);
    expect(await codeOf(404, { docs, error: 'Video not found' })).toBe('video_not_found');
    expect(await codeOf(404, { error: 'Video not found' })).toBe('video_not_found');
    expect(await codeOf(401, { docs, error: 'Unauthenticated' })).toBe('video_private');
    expect(await codeOf(500, { docs, error: 'Internal server error' })).toBe('upstream_failed');
    const refused = { docs, error: 'Cannot get this video regarding follow constraints' };
    expect(await codeOf(403, refused)).toBe('unsupported_content');
  });

  test('has live streams that are on, that wait, and that have ended', async () => {
    const stateOf = async (id: number) => {
      const video = { uuid: 'a', name: 'A', isLive: true, state: { id } };
      const found = await peertube.extract(new URL(watch), contextOf({ '/api/': [200, video] }));
      return [found?.info.live, found?.upcoming];
    };
    expect(await Promise.all([1, 4, 5].map(stateOf))).toEqual([
      [true, false],
      [false, true],
      [false, false],
    ]);
  });

  test('has no captions where it knows of none, and tells where they cannot be had', async () => {
    const extract = async (captions: [number, object], chapters: [number, object] = [404, {}]) => {
      const found = await peertube.extract(
        new URL(watch),
        contextOf({
          '/captions': captions,
          '/chapters': chapters,
          '/api/': [200, { uuid: 'a', name: 'A' }],
        }),
      );
      return found?.captionsFailure?.code ?? found?.captions.length;
    };
    const one = { data: [{ language: { id: 'en' }, captionPath: '/a.vtt' }] };
    expect(await extract([200, one])).toBe(1);
    expect(await extract([200, one], [503, {}])).toBe(1);
    for (const status of [404, 503]) {
      const context = contextOf({ '/chapters': [status, {}], '/api/': [200, { uuid: 'a', name: 'A' }] });
      const found = await peertube.extract(new URL(watch), context);
      expect(found?.info.chapters).toEqual([]);
      expect(found?.chaptersFailure?.code).toBe(status === 503 ? 'upstream_failed' : undefined);
    }
    for (const status of [404, 405]) expect(await extract([status, {}])).toBe(0);
    // All else of the video is told.
    expect(await extract([429, {}])).toBe('platform_blocked');
    expect(await extract([503, {}])).toBe('upstream_failed');
  });

  test('whose captions cannot be had fails what needs them alone, and is asked anew', async () => {
    const captionsFailure = { code: 'upstream_failed', detail: 'The instance answered 503.' };
    const extracted = {
      reader: 'peertube',
      extraction: { captions: [], captionsFailure, info: { id: 'a' } },
    };
    const cache = createExtractionCache();
    const { signal } = new AbortController();
    const make = vi.fn(async () => extracted as never);
    const tools = { videos: { extract: () => cache.get('a', signal, make) } };
    const warned: string[] = [];
    const job = { warn: (code: string) => void warned.push(code) };
    const asking = { url: watch, lang: 'en', kind: 'any', format: 'json' } as const;
    await expect(captionHandler.run(asking, job as never, tools as never)).rejects.toMatchObject(
      captionsFailure,
    );
    expect(await infoHandler.run({ url: watch }, job as never, tools as never)).toEqual({ id: 'a' });
    expect(warned).toEqual(['captions_failed']);
    const videos = { extract: async () => ({ extraction: { info: {}, chaptersFailure: captionsFailure } }) };
    await infoHandler.run({ url: watch }, job as never, { videos } as never);
    expect(warned.at(-1)).toBe('chapters_failed');
    expect(make).toHaveBeenCalledTimes(2);
    const large = { ...extracted.extraction, info: { description: 'x'.repeat(4_000_000) } };
    const looked = cache.get('b', signal, async () => ({ ...extracted, extraction: large }) as never);
    await expect(looked).rejects.toMatchObject({ code: 'target_too_large' });
  });

  test('whose comments come in part has those that came', async () => {
    const one = (id: number) => ({ id, text: 'a', totalReplies: 1 });
    const read = (second: number, replies: number) =>
      peertube.comments?.(
        new URL(watch),
        { limit: 5, sort: 'top' },
        contextOf({
          'threads?start=0': [200, { total: 2, data: [one(1)] }],
          'threads?start=1': [second, { total: 2, data: [one(2)] }],
          'threads/': [replies, { children: [] }],
          '/api/': [200, { uuid: 'a', name: 'A' }],
        }),
      );
    expect(await read(200, 200)).not.toHaveProperty('isPartial');
    expect(await read(503, 200)).toMatchObject({ comments: [{ id: '1' }], isPartial: true });
    expect(await read(200, 503)).toMatchObject({ comments: [{ id: '1' }, { id: '2' }], isPartial: true });
  });

  test('whose search is gone tells nothing of a video', async () => {
    await expect(peertube.search?.('a', 5, contextOf({}))).rejects.toMatchObject({
      code: 'upstream_failed',
    });
  });

  test('has comments of other instances, which are HTML', async () => {
    const texts = [
      '<p><span class="h-card"><a href="https://a.example/@b">@<span>b</span></a></span> Tom &amp; I</p><p>two<br />lines</p>',
      'beau <3 <https://a.example>',
    ];
    const data = texts.map((text, id) => ({ id, text }));
    const context = contextOf({
      '/comment-threads': [200, { total: 2, data }],
      '/api/': [200, { uuid: 'a', name: 'A' }],
    });
    const found = await peertube.comments?.(new URL(watch), { limit: 5, sort: 'new' }, context);
    expect(found?.comments.map(({ text }) => text)).toEqual(['@b Tom & I\ntwo\nlines', texts[1]]);
  });

  test('has finds without an address, which are left out', async () => {
    const data = [
      { uuid: 'a', url: '/w/a' },
      { uuid: 'b', url: 'https://tube.example/w/b' },
    ];
    const found = await peertube.search?.('a', 5, contextOf({ '/search/': [200, { data }] }));
    expect(found?.items.map(({ id }) => id)).toEqual(['b']);
  });
});

describe('a manifest', () => {
  const place = 'https://tube.example/a.mpd';
  const mpd = (sets: string) =>
    readDash(
      `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT8S"><Period>${sets}</Period></MPD>`,
      place,
      'dash',
    );
  const set = (type: string, inner = '') =>
    `<AdaptationSet mimeType="${type}">${inner}<Representation id="r" bandwidth="1"><BaseURL>${type}.mp4</BaseURL>` +
    '<SegmentBase indexRange="100-200"><Initialization range="0-99"/></SegmentBase></Representation></AdaptationSet>';
  const facts = ({ formats }: Manifest) =>
    formats.map(({ kind, downloadable, url }) => [kind, downloadable, url]);

  test('whose representations are one file each gives those files', () => {
    expect(facts(mpd(set('video/mp4')))).toEqual([
      ['muxed', true, place],
      ['video', true, 'https://tube.example/video/mp4.mp4'],
    ]);
  });

  test('of several periods is for players alone, so that no part is taken for the whole', () => {
    const period = (name: string) =>
      `<Period duration="PT5S">${set('video/mp4').replace('video/mp4.mp4', name)}</Period>`;
    const manifest = readDash(
      `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S">${period('a.mp4')}${period('b.mp4')}</MPD>`,
      place,
      'dash',
    );
    expect(manifest.durationSeconds).toBe(10);
    for (const [index, [kind, downloadable, url]] of facts(manifest).entries())
      expect([kind, downloadable, url]).toEqual(
        index === 0 ? ['muxed', true, place] : ['video', false, place],
      );
    expect(() => getFrameFormat(manifest.formats, null)).toThrow(
      expect.objectContaining({ code: 'unsupported_content' }) as AppError,
    );
  });

  test('of nothing is damaged', () => {
    expect(() => mpd('')).toThrow(expect.objectContaining({ code: 'unsupported_content' }) as AppError);
    expect(() => mpd('<AdaptationSet/>')).toThrow(
      expect.objectContaining({ code: 'unsupported_content' }) as AppError,
    );
  });

  test('of what is encrypted gives nothing to download', () => {
    const widevine = '<ContentProtection schemeIdUri="urn:uuid:EDEF8BA9-79D6-4ACE-A3C8-27DCD51D21ED"/>';
    expect(facts(mpd(set('video/mp4', widevine) + set('audio/mp4')))).toEqual([
      ['muxed', false, null],
      ['video', false, null],
      ['audio', true, 'https://tube.example/audio/mp4.mp4'],
    ]);
    const hls = (method: string) => {
      const key = `#EXT-X-KEY:METHOD=${method},URI="https://tube.example/key"`;
      const list = `#EXTM3U\n#EXT-X-VERSION:5\n#EXT-X-TARGETDURATION:4\n${key}\n#EXTINF:4,\na.ts\n#EXT-X-ENDLIST\n`;
      return readHls(list, 'https://tube.example/a.m3u8', 'hls').formats[0]?.downloadable;
    };
    expect([hls('AES-128'), hls('SAMPLE-AES')]).toEqual([true, false]);
  });
});

test('`360p` of an upright picture is of its width, and what is unknown is not taken', () => {
  const format = (id: string, kind: 'muxed' | 'video', width: number | null, height: number | null) => ({
    ...emptyFormat(id, `https://tube.example/${id}`, kind),
    width,
    height,
  });
  const formats = [
    format('18', 'muxed', 360, 640),
    format('160', 'video', 144, 256),
    format('134', 'video', 360, 640),
    format('137', 'video', 1080, 1920),
    format('x', 'muxed', 100, null),
  ];
  expect(getFormat(formats, '360p', null).id).toBe('18');
  expect(getFormat(formats, '144p', null).id).toBe('160');
});

test('numbers that no video has are left out', () => {
  const { info, formats, captions, upcoming } = readYtDlp(
    JSON.stringify({
      id: 'a',
      title: 'A',
      webpage_url: 'https://tube.example/a',
      duration: -3,
      timestamp: 999_999_999_999,
      view_count: 1e300,
      thumbnails: [{ url: 'https://tube.example/a.jpg', width: -1, height: 1e300 }],
      chapters: [{ title: 'All', start_time: 0, end_time: -1 }],
      formats: [
        { url: 'https://tube.example/a.mp4', format_id: 'a', filesize: 1e300, tbr: 1e300 },
        { url: 'https://tube.example/ip/192.0.2.1/a.m3u8', format_id: 'b', protocol: 'm3u8_native' },
      ],
      subtitles: { 'en-eEY6OEpapPo': [{ ext: 'vtt', url: 'https://tube.example/a.vtt' }] },
      live_status: 'is_upcoming',
    }),
  );
  expect(videoInfo.safeParse(info).error).toBe(undefined);
  expect(videoFormat.safeParse(formats[0]).error).toBe(undefined);
  expect(formats[1]).toMatchObject({
    downloadable: false,
    reason: expect.stringContaining('address') as string,
  });
  expect(captions.map(({ language }) => captionTag.safeParse(language).success)).toEqual([true]);
  expect(upcoming).toBe(true);
  expect([isoDate(1e15), isoDate('12 May'), readCount('9'.repeat(40))]).toEqual([null, null, null]);
});

test('yt-dlp lists translations of what was heard, which are left out, and what is spoken twice', () => {
  const form = (query: string) => [{ ext: 'json3', url: `https://tube.example/timedtext?${query}` }];
  const { captions } = readYtDlp(
    JSON.stringify({
      id: 'a',
      webpage_url: 'https://tube.example/a',
      url: 'https://tube.example/a.mp4',
      subtitles: { fr: form('lang=fr'), 'fr-orig': form('lang=fr&tlang=fr') },
      automatic_captions: {
        'en-orig': form('lang=en&kind=asr'),
        en: form('lang=en&kind=asr'),
        de: form('lang=en&kind=asr&tlang=de'),
        'es-fr': form('lang=fr&tlang=es'),
        'pt-orig': form('lang=pt&kind=asr'),
      },
    }),
  );
  expect(captions.map(({ language, kind }) => [language, kind])).toEqual([
    ['fr', 'manual'],
    ['fr-orig', 'manual'],
    ['en', 'auto'],
    ['pt', 'auto'],
  ]);
});

test('what YouTube is asked with is told nobody who reads another platform', () => {
  const settings = {
    youtubeUrl: youtube,
    youtubeCookies: 'secret',
    youtubePoToken: 'secret',
    peertubeSearchUrl: 'https://tube.example',
  };
  const without = { ...settings, youtubeCookies: null, youtubePoToken: null };
  const extract = (platform: string) => ({ task: 'extract' as const, platform, url: 'https://a.example/' });
  expect(settingsFor(extract('youtube'), settings)).toEqual(settings);
  expect(settingsFor(extract('page'), settings)).toEqual(without);
  expect(settingsFor({ task: 'read-yt-dlp', json: '{}' }, settings)).toEqual(without);
});

test('a web page in place of a file is no download, whatever its status; media that are called so are one', async () => {
  const probe = (status: number, type: string, body: string, protocol: 'https' | 'dash' = 'https') => {
    const answer = { status, headers: { 'content-type': type }, body: Buffer.from(body, 'latin1') };
    const lease = { fetch: async () => answer } as unknown as EgressLease;
    const format = { ...emptyFormat('18', 'https://tube.example/a', 'muxed'), protocol };
    return probeDownload(format, { title: 'A', id: 'a' } as VideoInfo, lease).then(
      () => 'a download',
      (error: AppError) => error.code,
    );
  };
  expect(await probe(200, 'text/html; charset=utf-8', '\n<!doctype html>Sorry')).toBe('platform_blocked');
  expect(await probe(206, 'text/html', '<')).toBe('platform_blocked');
  expect(await probe(206, 'text/html', '\0')).toBe('a download');
  expect(await probe(200, 'text/html', '<MPD>', 'dash')).toBe('a download');
  expect(await probe(206, 'video/mp4', '')).toBe('a download');
});

test('the name of a file is cut between two characters, and fits file systems', async () => {
  const lease = { fetch: async () => ({ status: 206, headers: {} }) } as unknown as EgressLease;
  const nameOf = async (title: string) => {
    const format = { ...emptyFormat('18', 'https://tube.example/a', 'muxed'), container: 'mp4' };
    return (await probeDownload(format, { title, id: 'a' } as VideoInfo, lease)).filename;
  };
  expect(await nameOf(`${'a'.repeat(198)}\u{1F600}`)).toBe(`${'a'.repeat(198)} [18].mp4`);
  expect(await nameOf('\u6f22'.repeat(95))).toBe(`${'\u6f22'.repeat(66)} [18].mp4`);
});
