import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import type { AppError } from '../../src/shared/errors.ts';
import type { EgressDoor } from '../../src/shared/egress/types.ts';
import { startReaper, type Reaper } from '../../src/workers/processes/reaper.ts';
import { getFrameFormat } from '../../src/workers/video/choose-format.ts';
import type { ExtractorResults, ExtractorTask } from '../../src/workers/video/extractor/protocol.ts';
import { runExtractor } from '../../src/workers/video/extractor/run-extractor.ts';
import {
  brightnessOf,
  captureFrame,
  encodeFrame,
  type Frame,
} from '../../src/workers/video/frames/capture-frame.ts';
import { createFrameOpener } from '../../src/workers/video/frames/open-frames.ts';
import { spreadFrames } from '../../src/workers/video/frames/spread-frames.ts';
import type { Extraction } from '../../src/workers/video/platforms/platform.ts';
import { openLoopbackDoor, startOrigin, startRawOrigin } from '../support/egress-origin.ts';
import { readFrameNumber } from '../support/frame-clock.ts';
import { clipFps, clipSeconds, type MediaFiles, startMediaFiles } from '../support/media-files.ts';

let media: MediaFiles;
let door: EgressDoor;
let reaper: Reaper;

beforeAll(async () => {
  media = await startMediaFiles();
  door = openLoopbackDoor();
  reaper = startReaper();
});
afterAll(async () => {
  await reaper[Symbol.asyncDispose]();
  await door[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
});

const { signal } = new AbortController();

async function ask<Task extends ExtractorTask>(task: Task): Promise<ExtractorResults[Task['task']]> {
  await using lease = door.openLease();
  const settings = {
    youtubeUrl: 'https://www.youtube.com',
    youtubeCookies: null,
    youtubePoToken: null,
    peertubeSearchUrl: media.url,
  };
  return await runExtractor(task, { lease, reaper, settings, signal, timeoutMs: 30_000 });
}

async function extract(path: string): Promise<Extraction> {
  const found = await ask({ task: 'extract', platform: 'page', url: new URL(path, media.url).href });
  if (found === null) throw new Error('nothing was found');
  return found;
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not fail',
    (error: AppError) => error.code ?? error.message,
  );

const opener = () =>
  createFrameOpener({
    openLease: (options) => door.openLease(options),
    reaper,
    ffmpeg: async () => media.ffmpeg,
  });

async function frameNumberAt(extraction: Extraction, timestampSeconds: number): Promise<number> {
  await using source = await opener().open(extraction, null, signal);
  const { png } = await captureFrame(source, { timestampSeconds, width: null }, source.tools);
  return await readFrameNumber(png);
}

const clips = [
  { path: '/fast.mp4', is: { kind: 'muxed', container: 'mp4', audioCodec: 'mp4a.40.2' } },
  { path: '/slow.mp4', is: { kind: 'muxed', container: 'mp4' } },
  { path: '/clip.webm', is: { kind: 'muxed', container: 'webm', videoCodec: 'vp8', audioCodec: 'opus' } },
  { path: '/whole/slow.mp4', is: { kind: 'muxed', container: 'mp4' } },
  { path: '/whole/fast.mp4', is: { kind: 'muxed', container: 'mp4' } },
  { path: '/whole/clip.webm', is: { kind: 'muxed', container: 'webm' } },
];

describe.each(clips)('$path', ({ path, is }) => {
  test('is described, and shows the frame of the moment', async () => {
    const extraction = await extract(path);
    expect(extraction.info).toMatchObject({ platform: 'page', live: false });
    expect(extraction.info.durationSeconds).toBeCloseTo(clipSeconds, 0);
    const [format] = extraction.formats;
    expect(format).toMatchObject({
      ...is,
      width: 160,
      height: 120,
      downloadable: true,
      sizeIsEstimate: false,
    });
    expect(format?.fps).toBeCloseTo(clipFps, 1);
    expect(format?.sizeBytes).toBeGreaterThan(1_000);
    // At a frame's own time, and just before the next one's.
    for (const seconds of [0, 7.3, 7.39, 11.85]) {
      expect(await frameNumberAt(extraction, seconds), `${seconds} s`).toBe(
        Math.floor(seconds * clipFps + 0.001),
      );
    }
  });
});

describe.each(['/hls.m3u8', '/ranges.m3u8', '/dash.mpd', '/list.mpd', '/number.mpd'])('%s', (path) => {
  test('is described, and shows the frame of the moment', async () => {
    const extraction = await extract(path);
    expect(extraction.info.durationSeconds).toBeCloseTo(clipSeconds, 0);
    expect(extraction.formats[0]).toMatchObject({
      protocol: path.endsWith('.m3u8') ? 'hls' : 'dash',
      downloadable: true,
    });
    // The sound begins some milliseconds before the picture.
    for (const seconds of [0, 7.35, 11.85]) {
      expect(await frameNumberAt(extraction, seconds), `${seconds} s`).toBe(Math.floor(seconds * clipFps));
    }
  });
});

test('parts of a DASH manifest that are one file can be had by themselves', async () => {
  const { formats } = await extract('/list.mpd');
  const byKind = (kind: string) => formats.filter((format) => format.kind === kind);
  expect(byKind('video')).toMatchObject([
    {
      url: `${media.url}/list-stream0.mp4`,
      container: 'mp4',
      protocol: 'http',
      downloadable: true,
      width: 160,
    },
  ]);
  expect(byKind('audio')).toMatchObject([{ url: `${media.url}/list-stream1.mp4`, audioCodec: 'mp4a.40.2' }]);
  const apart = (await extract('/number.mpd')).formats.filter(({ kind }) => kind !== 'muxed');
  expect(apart.map(({ downloadable, protocol }) => `${protocol} ${downloadable}`)).toEqual([
    'dash false',
    'dash false',
  ]);
});

test('captions and sound tracks that HLS and DASH name beside the picture', async () => {
  const cueAt = (at: string, words: string) => `00:${at}.000 --> 00:${at}.900\n${words}\n\n`;
  const map = (mpegts: number) => `WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:${mpegts}\n\n`;
  media.serve('/subs/1.vtt', 'text/vtt', map(900_000) + cueAt('01', 'One'));
  media.serve('/subs/2.vtt', 'text/vtt', map(900_000 + 4 * 90_000) + cueAt('01', 'Two'));
  media.serve('/subs/whole.vtt', 'text/vtt', `WEBVTT\n\n${cueAt('01', 'Whole')}`);
  const list = '#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n1.vtt\n#EXTINF:4,\n2.vtt\n#EXT-X-ENDLIST\n';
  media.serve('/subs/en.m3u8', 'application/vnd.apple.mpegurl', list);
  media.serve(
    '/master.m3u8',
    'application/vnd.apple.mpegurl',
    `#EXTM3U
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",LANGUAGE="en",URI="subs/en.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch",LANGUAGE="de",URI="de.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=160x120,CODECS="avc1.4d401f,mp4a.40.2",AUDIO="a",SUBTITLES="s"
hls.m3u8
`,
  );
  const textSet = (language: string, inner: string) =>
    `<AdaptationSet mimeType="text/vtt" lang="${language}">${inner}</AdaptationSet>`;
  const parts =
    '<SegmentTemplate media="subs/$Number$.vtt" duration="4" timescale="1"/><Representation id="t" bandwidth="1"/>';
  const file = '<Representation id="u" bandwidth="1"><BaseURL>subs/whole.vtt</BaseURL></Representation>';
  media.serve(
    '/text.mpd',
    'application/dash+xml',
    `<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT8S"><Period>${textSet('en', file)}${textSet('fr', parts)}</Period></MPD>`,
  );
  const hls = await extract('/master.m3u8');
  expect(hls.formats.map(({ kind, language }) => [kind, language])).toEqual([
    ['muxed', null],
    ['video', null],
    ['audio', 'de'],
  ]);
  expect(hls.formats[2]).toMatchObject({ url: `${media.url}/de.m3u8`, audioCodec: 'mp4a.40.2' });
  const dash = await extract('/text.mpd');
  expect(dash.info.captionLanguages.map(({ language }) => language)).toEqual(['en', 'fr']);
  const texts = await Promise.all(
    [...hls.captions, ...dash.captions].map(async (track) =>
      (await ask({ task: 'captions', platform: 'page', track }))?.map(({ startSeconds, text: words }) => [
        startSeconds,
        words,
      ]),
    ),
  );
  const both = [
    [1, 'One'],
    [5, 'Two'],
  ];
  expect(texts).toEqual([both, [[1, 'Whole']], both]);
});

test('a file whose index can only be had with all of it is fetched once, and not kept', async () => {
  const extraction = await extract('/whole/slow.mp4');
  const keep = async (frame: Frame): Promise<Frame> => frame;
  let path: string | null;
  {
    await using source = await opener().open(extraction, null, signal);
    const frames = await spreadFrames(source, { count: 3, width: null, keep }, source.tools);
    expect(await Promise.all(frames.map(({ png }) => readFrameNumber(png)))).toEqual([20, 60, 100]);
    ({ path } = source.file);
    expect(existsSync(path ?? '')).toBe(true);
    expect(source.tools.lease.bytesReceived).toBeLessThan(4 * (extraction.formats[0]?.sizeBytes ?? 0));
  }
  expect(existsSync(path ?? '')).toBe(false);
});

test('a picture stands until the next one comes, however long that is', async () => {
  const at = async (path: string, times: readonly number[]) => {
    const extraction = await extract(path);
    return await Promise.all(times.map(async (seconds) => await frameNumberAt(extraction, seconds)));
  };
  expect(await at('/slides.mp4', [0, 4.98, 5, 6, 9, 9.99, 10, 11.9])).toEqual([
    0, 0, 50, 50, 50, 50, 100, 100,
  ]);
  expect(await at('/still.mp4', [2.95, 3.2, 5, 8, 8.98, 9])).toEqual([29, 30, 30, 30, 30, 90]);
});

test('past the end there is no frame, and at it the last one', async () => {
  const extraction = await extract('/fast.mp4');
  expect(await frameNumberAt(extraction, clipSeconds)).toBe(clipSeconds * clipFps - 1);
  expect(await codeOf(frameNumberAt(extraction, clipSeconds + 1))).toBe('invalid_request');
});

test('before the first picture that one stands, be the length of the video known or not', async () => {
  const known = await extract('/late.mp4');
  const unknown = { ...known, info: { ...known.info, durationSeconds: null } };
  for (const extraction of [known, unknown]) {
    expect(await frameNumberAt(extraction, 1)).toBe(30);
    expect(await codeOf(frameNumberAt(extraction, clipSeconds + 1))).toBe('invalid_request');
  }
});

test('where sound goes on without a picture, the last one stands', async () => {
  await using source = await opener().open(await extract('/long-sound.mp4'), null, signal);
  const keep = async (frame: Frame): Promise<Frame> => frame;
  const frames = await spreadFrames(source, { count: 2, width: null, keep }, source.tools);
  expect(await Promise.all(frames.map(({ png }) => readFrameNumber(png)))).toEqual([15, 19]);
});

test('pictures of pixels that are not square are as wide as players show them', async () => {
  await using source = await opener().open(await extract('/anamorphic.mp4'), null, signal);
  const sizeOf = async (width: number | null) => {
    const { png } = await captureFrame(source, { timestampSeconds: 0, width }, source.tools);
    const { bytes: _bytes, ...size } = await encodeFrame(png, 'png');
    return size;
  };
  expect(await sizeOf(null)).toEqual({ width: 320, height: 120 });
  expect(await sizeOf(160)).toEqual({ width: 160, height: 60 });
});

test('pictures are made in three formats, and scaled down', async () => {
  const extraction = await extract('/fast.mp4');
  await using source = await opener().open(extraction, 80, signal);
  const { png } = await captureFrame(source, { timestampSeconds: 3, width: 80 }, source.tools);
  const signatures = { png: '89504e47', jpeg: 'ffd8ff', webp: '52494646' } as const;
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const { bytes, ...size } = await encodeFrame(png, format);
    expect(size).toEqual({ width: 80, height: 60 });
    expect(bytes.toString('hex', 0, 4)).toMatch(new RegExp(`^${signatures[format]}`));
  }
});

test('frames at even intervals are not black where others of their part are not', async () => {
  const extraction = await extract('/dark.mp4');
  await using source = await opener().open(extraction, null, signal);
  const middle = await captureFrame(source, { timestampSeconds: 1.5, width: null }, source.tools);
  expect(await brightnessOf(middle.png)).toBeLessThan(16);
  const done: number[] = [];
  const keep = async (frame: Frame, _: number, count: number): Promise<Frame> => {
    done.push(count);
    return frame;
  };
  const frames = await spreadFrames(source, { count: 4, width: null, keep }, source.tools);
  expect(frames.map(({ timestampSeconds }) => Math.floor(timestampSeconds / 3))).toEqual([0, 1, 2, 3]);
  for (const { png } of frames) expect(await brightnessOf(png)).toBeGreaterThan(16);
  expect(done).toEqual([1, 2, 3, 4]);
});

describe('a page', () => {
  test('tells of its video by its tags, Open Graph and JSON-LD', async () => {
    const video = {
      '@context': 'https://schema.org',
      '@type': 'VideoObject',
      name: 'A clip',
      description: 'What it shows',
      uploadDate: '2024-05-01T10:00:00Z',
      duration: 'PT12S',
      thumbnailUrl: ['/poster.png'],
      contentUrl: '/clip.webm',
      interactionStatistic: {
        '@type': 'InteractionCounter',
        interactionType: { '@type': 'WatchAction' },
        userInteractionCount: 1234,
      },
      author: { '@type': 'Person', name: 'Ada', url: 'https://ada.example/' },
      hasPart: [
        { '@type': 'Clip', name: 'Second', startOffset: 5 },
        { '@type': 'Clip', name: 'First', startOffset: 0 },
      ],
    };
    media.serve('/subs.vtt', 'text/vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n');
    media.serve(
      '/page',
      'text/html',
      `<html lang="en"><title>Page</title><meta property="og:video" content="/player.html"><meta property="og:video:type" content="text/html">
      <script type="application/ld+json">${JSON.stringify({ '@graph': [video] })}</script>
      <video poster="/p.png"><source src="/fast.mp4" type="video/mp4"><track kind="captions" srclang="en" label="English" src="/subs.vtt"></video>`,
    );
    const { info, formats, captions } = await extract('/page');
    expect(info).toMatchObject({
      title: 'A clip',
      description: 'What it shows',
      publishedAt: '2024-05-01T10:00:00.000Z',
      thumbnail: `${media.url}/poster.png`,
      channel: { name: 'Ada' },
      stats: { views: 1234, likes: null },
      language: 'en',
      captionLanguages: [{ language: 'en', label: 'English', kind: 'manual' }],
    });
    expect(info.chapters).toEqual([
      { title: 'First', startSeconds: 0, endSeconds: 5 },
      { title: 'Second', startSeconds: 5, endSeconds: expect.closeTo(12, 0) as number },
    ]);
    expect(formats.map(({ url }) => url)).toEqual([`${media.url}/fast.mp4`, `${media.url}/clip.webm`]);
    expect(captions[0]?.url).toBe(`${media.url}/subs.vtt`);
  });

  test('with times and languages that are none is read as far as they are some', async () => {
    const video = {
      '@type': 'VideoObject',
      uploadDate: 999999999999999,
      duration: 'PT12S',
      hasPart: [{ '@type': 'Clip', name: 'First', startOffset: 0, endOffset: -1 }],
    };
    media.serve(
      '/odd',
      'text/html',
      `<script type="application/ld+json">${JSON.stringify(video)}</script>
      <video src="/fast.mp4"><track srclang="" src="/a.vtt"><track srclang="en-eEY6OEpapPo" src="/b.vtt"><track srclang="English (UK)" src="/c.vtt"></video>`,
    );
    const { info } = await extract('/odd');
    expect(info.publishedAt).toBe(null);
    expect(info.chapters).toEqual([{ title: 'First', startSeconds: 0, endSeconds: 12 }]);
    expect(info.captionLanguages.map(({ language }) => language)).toEqual(['und', 'en-eEY6OEpapPo', 'und']);
  });

  test('without a video is no platform, and one that is gone no video', async () => {
    media.serve('/article', 'text/html', '<title>Words</title><p>Only words.');
    media.serve('/data', 'application/json', '{}');
    expect(await codeOf(extract('/article'))).toBe('platform_unsupported');
    expect(await codeOf(extract('/data'))).toBe('platform_unsupported');
    expect(await codeOf(extract('/gone'))).toBe('video_not_found');
  });
});

describe('hostile media', () => {
  const playlist = (segment: string) =>
    `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${segment}\n#EXT-X-ENDLIST\n`;

  test('that are empty or of another kind than they say are refused', async () => {
    media.serve('/words.mp4', 'video/mp4', 'These are words, not a video.'.repeat(100));
    media.serve('/broken.m3u8', 'application/vnd.apple.mpegurl', 'not a playlist');
    media.serve('/broken.mpd', 'application/dash+xml', '<html>no');
    for (const path of ['/empty.mp4', '/words.mp4', '/broken.m3u8', '/broken.mpd']) {
      expect(await codeOf(extract(path)), path).toBe('unsupported_content');
    }
  });

  test('that break off, are refused halfway or are damaged say so', async () => {
    const whole = await readFile(join(media.folder, 'slow.mp4'));
    const webm = await readFile(join(media.folder, 'clip.webm'));
    const lost = webm.indexOf(Buffer.from('1654ae6b', 'hex'));
    media.serve(
      '/damaged.webm',
      'video/webm',
      Buffer.concat([webm.subarray(0, lost + 6), Buffer.alloc(3_000, 85)]),
    );
    media.serve('/cut.webm', 'video/webm', webm.subarray(0, webm.indexOf(Buffer.from('1f43b675', 'hex'))));
    await using server = await startOrigin((request, response) => {
      const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
      if (request.headers.range !== undefined && request.url === '/busy.mp4')
        return void response.writeHead(429).end();
      response.writeHead(start > 0 ? 206 : 200, {
        'content-type': 'video/mp4',
        'accept-ranges': 'bytes',
        'content-length': whole.length - start,
        ...(start > 0 ? { 'content-range': `bytes ${start}-${whole.length - 1}/${whole.length}` } : {}),
      });
      response.write(whole.subarray(start, start + 1_000), () => response.destroy());
    });
    const page = `<video src="${server.url}torn.mp4"></video>`;
    media.serve('/page-of-torn', 'text/html', page);
    expect(await codeOf(extract(`${server.url}torn.mp4`))).toMatch(/^(target_unreachable|upstream_failed)$/);
    expect(await codeOf(extract('/page-of-torn'))).toMatch(/^(target_unreachable|upstream_failed)$/);
    expect(await codeOf(extract(`${server.url}busy.mp4`))).toBe('platform_blocked');
    expect(await codeOf(extract('/damaged.webm'))).toBe('unsupported_content');
    expect((await extract('/cut.webm')).formats[0]?.fps).toBe(null);
  });

  test('that lead to files of ours or past the door are refused', async () => {
    await using closed = await startRawOrigin((socket) => socket.destroy());
    media.serve('/to-file.m3u8', 'application/vnd.apple.mpegurl', playlist('file:///etc/passwd'));
    media.serve(
      '/to-loopback.m3u8',
      'application/vnd.apple.mpegurl',
      playlist(`http://127.0.0.1:${closed.port}/a.ts`),
    );
    await using narrow = openLoopbackDoor({ allow: [`127.0.0.1:${media.origin.port}`] });
    for (const path of ['/to-file.m3u8', '/to-loopback.m3u8']) {
      const extraction = await extract(path);
      const frames = createFrameOpener({
        openLease: (options) => narrow.openLease(options),
        reaper,
        ffmpeg: async () => media.ffmpeg,
      });
      await using source = await frames.open(extraction, null, signal);
      expect(
        await codeOf(captureFrame(source, { timestampSeconds: 0, width: null }, source.tools)),
        path,
      ).toBe('url_not_allowed');
    }
    expect(closed.connections).toBe(0);
  });

  test('of another kind than their name says are read as what they are', async () => {
    media.serve('/really-webm.mp4', 'video/mp4', await readFile(join(media.folder, 'clip.webm')));
    const extraction = await extract('/really-webm.mp4');
    expect(extraction.formats[0]).toMatchObject({ container: 'webm', videoCodec: 'vp8' });
    expect(await frameNumberAt(extraction, 7.35)).toBe(73);
    media.serve('/really-words.webm', 'text/plain', 'These are words.');
    expect(await codeOf(extract('/really-words.webm'))).toBe('unsupported_content');
    media.serve('/by-text.webm', 'text/plain', await readFile(join(media.folder, 'clip.webm')));
    expect((await extract('/by-text.webm')).formats[0]).toMatchObject({ container: 'webm' });
  });

  test('that never end are left in time', async () => {
    const head = await readFile(join(media.folder, 'fast.mp4'));
    for (const [path, body] of [
      ['/endless/zeros.mp4', ''],
      // A file that can be described, and whose next box is as long as numbers go.
      ['/endless/box.mp4', Buffer.concat([head, Buffer.from('00000001666a6a6a7fffffffffffffff', 'hex')])],
    ] as const) {
      media.serve(path, 'video/mp4', body);
      const narrow: Parameters<EgressDoor['openLease']>[0] = { byteBudget: 32 * 1024 * 1024 };
      const frames = createFrameOpener({
        openLease: (options) => door.openLease({ ...options, ...narrow }),
        reaper,
        ffmpeg: async () => media.ffmpeg,
      });
      const work = extract(path).then(async (extraction) => {
        await using source = await frames.open(extraction, null, signal);
        return await captureFrame(source, { timestampSeconds: 11, width: null }, source.tools);
      });
      const ended = await work.then(
        ({ png }) => (png.length > 0 ? 'a frame' : 'nothing'),
        (error: AppError) => error.code ?? error.message,
      );
      expect(['a frame', 'unsupported_content', 'target_too_large', 'target_timeout'], path).toContain(ended);
    }
  });

  test('of ten thousand by ten thousand pixels are refused', async () => {
    const extraction = await extract('/huge.mp4');
    expect(getFrameFormat(extraction.formats, null)).toMatchObject({ width: 10_000 });
    expect(await codeOf(frameNumberAt(extraction, 0))).toBe('image_too_large');
  });
});
