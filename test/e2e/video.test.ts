import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { call as callService } from '../support/client.ts';
import { readFrameNumber } from '../support/frame-clock.ts';
import {
  clipFps,
  clipSeconds,
  largeBytes,
  type MediaFiles,
  startMediaFiles,
} from '../support/media-files.ts';
import { pidOf } from '../support/processes.ts';
import { type Service, startService } from '../support/service.ts';
import { startYoutube, type YoutubeStandIn } from '../support/youtube-stand-in.ts';

let media: MediaFiles;
let youtube: YoutubeStandIn;
let service: Service;

/** Speaks as yt-dlp does: knows the videos whose URL says `by-yt-dlp`. */
async function writeYtDlp(folder: string): Promise<string> {
  const answer = {
    id: 'clip',
    title: 'By the other engine',
    extractor_key: 'Madeup',
    webpage_url: `${media.url}/by-yt-dlp`,
    duration: 12,
    thumbnail: 'http://169.254.169.254/thumb.jpg',
    thumbnails: [{ url: 'http://10.0.0.1/thumb.jpg' }, { url: `${media.url}/thumb.jpg` }],
    subtitles: {
      en: [{ ext: 'vtt', url: 'http://10.0.0.1/en.vtt' }],
      de: [{ ext: 'vtt', url: 'file:///etc/passwd' }],
    },
    formats: [
      {
        format_id: 'open',
        url: `${media.url}/fast.mp4`,
        protocol: 'http',
        ext: 'mp4',
        width: 160,
        height: 120,
      },
      { format_id: 'closed', url: 'http://10.0.0.1/inside.mp4', protocol: 'http', ext: 'mp4' },
    ],
  };
  await writeFile(join(folder, 'answer.json'), JSON.stringify(answer));
  const path = join(folder, 'yt-dlp');
  const script = `#!/bin/sh
case "$*" in
  *--version*) echo 2025.10.22 ;;
  *by-yt-dlp*) cat '${join(folder, 'answer.json')}' ;;
  *) echo 'ERROR: Unsupported URL' >&2; exit 1 ;;
esac
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  return path;
}

beforeAll(async () => {
  media = await startMediaFiles();
  youtube = await startYoutube(`${media.url}/slow.mp4`);
  service = await startService({
    env: {
      YOUTUBE_URL: youtube.url,
      VIDEO_ENGINES: 'native,yt-dlp',
      YTDLP_PATH: await writeYtDlp(media.folder),
    },
  });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await youtube[Symbol.asyncDispose]();
  await media[Symbol.asyncDispose]();
});

const base = '/api/proxy/video/v1';
const watch = (id: string) => `https://www.youtube.com/watch?v=${id}`;

async function ask(
  call: string,
  query: Record<string, string | number>,
  headers: Record<string, string> = {},
) {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const path = `${base}/platform/${call}?${search}`;
  return await callService(
    path,
    { key: service.key, headers: { Accept: 'application/json', ...headers } },
    service.url,
  );
}

describe('the other engine', () => {
  const isAsked = async (url: string): Promise<void> => {
    const { status, body } = await ask('info', { url });
    expect([status, body['data']?.platform, body['data']?.title]).toEqual([
      200,
      'madeup',
      'By the other engine',
    ]);
    // Neither told nor fetched.
    expect(body['data']).toMatchObject({ thumbnail: `${media.url}/thumb.jpg`, captionLanguages: [] });
    expect(JSON.stringify(body)).not.toMatch(/10\.0\.0\.1|169\.254|passwd/);
    const { formats } = (await ask('media', { url })).body['data'];
    expect(formats).toMatchObject([
      { id: 'open', downloadable: true },
      { id: 'closed', downloadable: false, reason: expect.stringContaining('not open') },
    ]);
  };

  test('is asked where ours finds nothing', async () => {
    media.serve('/by-yt-dlp', 'text/html', '<title>No video that we can see</title>');
    const url = `${media.url}/by-yt-dlp`;
    await isAsked(url);
    const shot = await ask('screenshot', { url, timestamp: 3 });
    expect(shot.body['data']).toMatchObject({ width: 160, height: 120 });
  });

  test('is asked where YouTube refuses ours', async () => {
    await isAsked(watch('by-yt-dlp00'));
  });
});

describe('a video of YouTube', () => {
  const url = watch('talk0000000');

  test('is described, with one extraction for info, media and frames', async () => {
    const { status, body } = await ask('info', { url });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject({
      id: 'talk0000000',
      platform: 'youtube',
      title: 'A made-up talk',
      durationSeconds: 12,
      publishedAt: '2024-05-01T10:00:00.000Z',
      channel: { id: 'UCmadeup', name: 'Ada', url: 'https://www.youtube.com/@ada' },
      stats: { views: 4711, likes: 12 },
      tags: ['things', 'talk'],
      live: false,
      ageLimit: 0,
      chapters: [
        { title: 'Beginning', startSeconds: 0, endSeconds: 6 },
        { title: 'End', startSeconds: 6, endSeconds: 12 },
      ],
    });
    const players = youtube.asked.filter((endpoint) => endpoint === 'player').length;
    const formats = await ask('media', { url: 'https://youtu.be/talk0000000?t=3' });
    expect(formats.body['data'].best).toEqual({ video: null, audio: null, muxed: '18' });
    const byId = new Map<string, any>(formats.body['data'].formats.map((one: any) => [one.id, one]));
    expect(byId.get('18')).toMatchObject({ kind: 'muxed', downloadable: true, sizeIsEstimate: true });
    expect(byId.get('140')).toMatchObject({
      kind: 'audio',
      downloadable: false,
      reason: expect.stringContaining('link'),
    });
    // Named by the platform, judged by the egress rules.
    expect(byId.get('137')).toMatchObject({
      downloadable: false,
      reason: expect.stringContaining('not open'),
    });
    expect(JSON.stringify(formats.body)).not.toContain('10.0.0.1');
    expect(youtube.asked.filter((endpoint) => endpoint === 'player').length).toBe(players);
  });

  test('is downloaded through a tunnel, by ranges', async () => {
    const { status, body } = await ask('download', { url });
    expect(status).toBe(200);
    const download = body['data'];
    const file = await readFile(join(media.folder, 'slow.mp4'));
    expect(download).toMatchObject({
      via: 'tunnel',
      contentType: 'video/mp4',
      sizeBytes: file.length,
      filename: 'A made-up talk [18].mp4',
      format: { id: '18' },
    });
    expect(download.url).toMatch(new RegExp(`^${service.url}/tunnel/`));
    expect(JSON.stringify(body)).not.toContain(media.url);
    const whole = await fetch(download.url);
    expect(whole.headers.get('content-disposition')).toContain('A made-up talk [18].mp4');
    const bytes = Buffer.from(await whole.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(
      createHash('sha256').update(file).digest('hex'),
    );
    const part = await fetch(download.url, { headers: { range: 'bytes=1000-1999' } });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${file.length}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(file.subarray(1000, 2000));
    // Several parts would be of another type; of another unit or of nonsense nobody knows what is meant.
    for (const range of ['bytes=0-0,5-9', 'items=0-5', 'bytes=abc', 'bytes=1-2-3', '']) {
      const all = await fetch(download.url, { headers: { range } });
      expect([all.status, all.headers.get('content-type')], range).toEqual([200, 'video/mp4']);
      expect(Buffer.from(await all.arrayBuffer()).equals(file), range).toBe(true);
    }
    const behind = await fetch(download.url, { headers: { range: `bytes=${file.length}-` } });
    expect([behind.status, behind.headers.get('content-range')]).toEqual([416, `bytes */${file.length}`]);
    await behind.arrayBuffer();
    expect((await fetch(download.url, { method: 'POST' })).status).toBe(405);
    const head = await fetch(download.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(file.length)]);
    const forged = download.url.replace(/signature=../, 'signature=AA');
    expect((await fetch(forged)).status).toBe(403);
    const longer = download.url.replace(/expires=\d+/, `expires=${Math.floor(Date.now() / 1000) + 999_999}`);
    expect((await fetch(longer)).status).toBe(403);
  });

  test('of any size comes through it with the right bytes at every range', async () => {
    const size = 48 * 1024 * 1024;
    const large = { lengthSeconds: 600, chapters: [], heard: [], mediaUrl: `${media.url}/large/${size}` };
    youtube.talks.set('largefile00', large);
    const { url: link, sizeBytes } = (await ask('download', { url: watch('largefile00') })).body['data'];
    expect(sizeBytes).toBe(size);
    for (const start of [0, 16_777_000, size - 1_000]) {
      const part = await fetch(link, { headers: { range: `bytes=${start}-${start + 999}` } });
      expect(part.status).toBe(206);
      expect(Buffer.from(await part.arrayBuffer())).toEqual(largeBytes(start, 1_000));
    }
    const whole = Buffer.from(await (await fetch(link)).arrayBuffer());
    expect(whole.equals(largeBytes(0, size))).toBe(true);
  });

  test('whose links are ciphered is downloaded by links that its own script makes', async () => {
    const { status, body } = await ask('download', { url: watch('ciphered000') });
    expect(status).toBe(200);
    const file = await readFile(join(media.folder, 'slow.mp4'));
    expect(Buffer.from(await (await fetch(body['data'].url)).arrayBuffer())).toEqual(file);
  });

  test('has captions in four forms', async () => {
    const { status, body } = await ask('caption', { url });
    expect(status).toBe(200);
    expect(body['data']).toEqual({
      language: 'en',
      kind: 'auto',
      segments: [
        { startSeconds: 0, durationSeconds: 2, text: 'so here' },
        { startSeconds: 2, durationSeconds: 4, text: 'we are' },
      ],
      text: 'so here\nwe are',
      available: [
        { language: 'en', label: 'English', kind: 'auto' },
        { language: 'de', label: 'German', kind: 'manual' },
      ],
    });
    const vtt = await ask('caption', { url, lang: 'de-AT' }, { Accept: 'text/vtt' });
    expect(vtt.headers.get('content-type')).toBe('text/vtt; charset=utf-8');
    expect(vtt.body).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:02\.000\nso here\n/);
    const srt = await ask('caption', { url, format: 'srt' }, { Accept: '*/*' });
    expect([srt.headers.get('content-type'), String(srt.body).slice(0, 2)]).toEqual([
      'application/x-subrip; charset=utf-8',
      '1\n',
    ]);
    const txt = await ask('caption', { url, format: 'txt' }, { Accept: '*/*' });
    expect(txt.body).toBe('so here\nwe are');
    const json = await ask('caption', { url, format: 'srt' });
    expect(json.body['data'].language).toBe('en');
  });

  test('without captions of the language says which there are', async () => {
    const { status, body } = await ask('caption', { url, lang: 'fr' });
    expect([status, body['code']]).toEqual([422, 'captions_unavailable']);
    expect(body['available']).toEqual([
      { language: 'en', label: 'English', kind: 'auto' },
      { language: 'de', label: 'German', kind: 'manual' },
    ]);
  });

  test('has comments, pinned and with replies, or says that it has none', async () => {
    const { body } = await ask('comments', { url, limit: 5 });
    expect(body['data']).toMatchObject({ total: 1234, disabled: false });
    expect(body['data'].comments).toMatchObject([
      { id: 'first', parentId: null, likes: 1200, pinned: true, byUploader: true, text: 'Words of first' },
      { id: 'reply', parentId: 'first', pinned: false, byUploader: false, publishedText: '2 years ago' },
    ]);
    const none = await ask('comments', { url: watch('nocomments0') });
    expect(none.body['data']).toEqual({ total: null, disabled: true, comments: [] });
  });

  test('is found', async () => {
    const { body } = await ask('search', { q: 'tings', limit: 5 });
    expect(body['data']).toMatchObject({ query: 'tings', correctedQuery: 'things', platform: 'youtube' });
    expect(body['data'].items).toMatchObject([
      {
        id: 'abcdefghijk',
        durationSeconds: 3612,
        views: 4711,
        publishedAt: null,
        channel: { id: 'UCmadeup' },
      },
    ]);
  });

  test('shows a frame', async () => {
    const { body } = await ask('screenshot', { url, timestamp: 7.35, format: 'webp', width: 80 });
    expect(body['data']).toMatchObject({ timestampSeconds: 7.35, width: 80, height: 60, format: 'webp' });
    const picture = await fetch(body['data'].imageUrl);
    expect(picture.headers.get('content-type')).toBe('image/webp');
    const png = await ask('screenshot', { url, timestamp: 3.05 }, { Accept: 'image/*' });
    expect(png.headers.get('content-type')).toBe('image/png');
    const bytes = await fetch(
      `${service.url}${base}/platform/screenshot?${new URLSearchParams({ url, timestamp: '3.05' })}`,
      {
        headers: { 'X-API-Key': service.key, Accept: 'image/*' },
      },
    );
    expect(await readFrameNumber(Buffer.from(await bytes.arrayBuffer()))).toBe(Math.floor(3.05 * clipFps));
  });

  test.each([
    ['private0000', 422, 'video_private'],
    ['adults00000', 422, 'video_age_restricted'],
    ['country0000', 422, 'video_geo_blocked'],
    ['gone0000000', 404, 'video_not_found'],
  ])('%s is refused with its cause', async (id, status, code) => {
    const { status: got, body } = await ask('info', { url: watch(id) });
    expect([got, body['code']]).toEqual([status, code]);
  });

  test.each([
    ['live', 'live0000000', true, []],
    ['announced', 'premiere000', false, ['caption']],
  ])('that is %s has neither file nor frames', async (_what, id, live, others) => {
    const info = await ask('info', { url: watch(id) });
    expect(info.body['data']).toMatchObject({ live, durationSeconds: null });
    for (const call of ['download', 'screenshot', 'screenshot-multiple', ...others]) {
      expect((await ask(call, { url: watch(id) })).body['code'], call).toBe('video_live_unsupported');
    }
  });

  test('of a platform that blocks us is never an empty success, and is then left alone', async () => {
    expect((await ask('caption', { url: watch('blocked0000') })).body['code']).toBe('platform_blocked');
    for (let attempt = 0; attempt < 5; attempt++) {
      const { status, body } = await ask('info', { url: watch('toomany0000') });
      expect([status, body['code']]).toEqual([502, 'platform_blocked']);
    }
    const asked = youtube.asked.length;
    const { body } = await ask('info', { url: watch('other000000') });
    expect(body['code']).toBe('platform_blocked');
    expect(youtube.asked.length).toBe(asked);
    const health = await callService(`${base}/healthz`, { key: service.key }, service.url);
    expect(health.body['data'].checks.platforms).toMatchObject([{ platform: 'youtube', circuit: 'open' }]);
  });
});

describe('a file or a page', () => {
  test('is described, listed and downloaded directly', async () => {
    const url = `${media.url}/fast.mp4`;
    const info = await ask('info', { url });
    expect(info.body['data']).toMatchObject({ platform: 'page', title: 'fast.mp4' });
    const download = await ask('download', { url });
    expect(download.body['data']).toMatchObject({
      url,
      via: 'direct',
      contentType: 'video/mp4',
      expiresAt: null,
    });
    const low = await ask('download', { url, format: '90p' });
    expect([low.status, low.body['code']]).toEqual([400, 'invalid_request']);
  });

  test('shows frames at even intervals, each a file of the job', async () => {
    const { body } = await ask('screenshot-multiple', {
      url: `${media.url}/clip.webm`,
      count: 3,
      format: 'jpeg',
    });
    expect(body['data'].frames.map((frame: any) => frame.timestampSeconds)).toEqual([
      expect.closeTo(clipSeconds / 6, 1),
      expect.closeTo(clipSeconds / 2, 1),
      expect.closeTo((clipSeconds * 5) / 6, 1),
    ]);
    for (const { imageUrl } of body['data'].frames) {
      expect((await fetch(imageUrl)).headers.get('content-type')).toBe('image/jpeg');
    }
    const job = await callService(`/api/proxy/jobs/${body['meta'].jobId}`, { key: service.key }, service.url);
    expect(job.body['data'].files.map((file: any) => file.name)).toEqual([
      'frame-1.jpeg',
      'frame-2.jpeg',
      'frame-3.jpeg',
    ]);
  });

  test('past its end has no frame', async () => {
    const { status, body } = await ask('screenshot', { url: `${media.url}/fast.mp4`, timestamp: 99 });
    expect([status, body['code'], body['errors'][0].path]).toEqual([400, 'invalid_request', 'timestamp']);
  });

  test('has captions of its own, in whatever encoding', async () => {
    media.serve('/subs.vtt', 'text/vtt', 'WEBVTT\n\n00:00.000 --> 00:01.000\nHello\n');
    const srt = '1\r\n00:00:00,000 --> 00:00:01,000\r\nCora\u00e7\u00e3o &amp; <i>alma</i>\r\n';
    media.serve('/subs.srt', 'application/x-subrip; charset=iso-8859-1', Buffer.from(srt, 'latin1'));
    media.serve('/sorry.vtt', 'text/vtt', '<!doctype html><title>Are you a robot?</title>');
    media.serve(
      '/page',
      'text/html',
      '<title>P</title><video src="/fast.mp4"><track srclang="en" src="/subs.vtt"><track srclang="pt" src="/subs.srt"><track srclang="fr" src="/sorry.vtt"></video>',
    );
    expect((await ask('caption', { url: `${media.url}/page` })).body['data'].text).toBe('Hello');
    const brazilian = await ask('caption', { url: `${media.url}/page`, lang: 'pt-BR' });
    expect(brazilian.body['data']).toMatchObject({ language: 'pt', text: 'Cora\u00e7\u00e3o & alma' });
    expect((await ask('caption', { url: `${media.url}/page`, lang: 'fr' })).body['code']).toBe(
      'platform_blocked',
    );
    const comments = await ask('comments', { url: `${media.url}/page` });
    expect([comments.status, comments.body['code']]).toEqual([400, 'platform_unsupported']);
  });

  test('without a video is no platform', async () => {
    media.serve('/words', 'text/html', '<title>Words</title>');
    const { status, body } = await ask('info', { url: `${media.url}/words` });
    expect([status, body['code']]).toEqual([400, 'platform_unsupported']);
  });
});

test('bad requests are refused before they cost anything', async () => {
  for (const [call, query] of [
    ['info', {}],
    ['info', { url: 'ftp://a/b' }],
    ['info', { url: 'http://10.0.0.1/a.mp4' }],
    ['caption', { url: watch('talk0000000'), lang: '../../etc' }],
    ['screenshot', { url: watch('talk0000000'), timestamp: '-1' }],
    ['screenshot', { url: watch('talk0000000'), timestamp: '1e3' }],
    ['screenshot-multiple', { url: watch('talk0000000'), count: 21 }],
    ['comments', { url: watch('talk0000000'), limit: 0 }],
    ['search', { q: ' ' }],
    ['search', { q: 'a', platform: 'tube' }],
  ] as const) {
    const { status } = await ask(call, query);
    expect([400, 403], `${call} ${JSON.stringify(query)}`).toContain(status);
  }
  expect((await callService(`${base}/platform/info`, { key: null }, service.url)).status).toBe(401);
});

describe('what a job has started', () => {
  /** Processes whose command line has the text. */
  const running = (text: string): number[] =>
    readdirSync('/proc')
      .map(Number)
      .filter((pid) => {
        try {
          return pid > 0 && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
        } catch {
          return false;
        }
      });

  async function startStalled(): Promise<{ job: string; pid: number; mark: string }> {
    const mark = `mark=${crypto.randomUUID()}`;
    const url = `${media.url}/stalled/fast.mp4?${mark}`;
    const { body } = await callService(
      `${base}/platform/screenshot?${new URLSearchParams({ url, timestamp: '3' })}`,
      { key: service.key, headers: { Prefer: 'respond-async' } },
      service.url,
    );
    await expect.poll(() => running(mark).length, { timeout: 20_000 }).toBeGreaterThan(0);
    return { job: `/api/proxy/jobs/${body['data'].id}`, pid: running(mark)[0] ?? 0, mark };
  }

  const cancel = (job: string) => callService(job, { method: 'DELETE', key: service.key }, service.url);

  test('is gone when it is canceled', async () => {
    const { job, mark } = await startStalled();
    expect((await cancel(job)).status).toBe(200);
    await expect.poll(() => running(mark), { timeout: 10_000 }).toEqual([]);
  });

  test('is gone when its worker is killed, and begun anew by the next one', async () => {
    const { job, pid, mark } = await startStalled();
    process.kill(pidOf(service, 'worker-http'), 'SIGKILL');
    await expect.poll(() => running(mark).includes(pid), { timeout: 10_000 }).toBe(false);
    await expect.poll(() => running(mark).length, { timeout: 25_000 }).toBeGreaterThan(0);
    await cancel(job);
    await expect.poll(() => running(mark), { timeout: 10_000 }).toEqual([]);
  }, 60_000);
});
