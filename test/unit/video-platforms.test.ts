import { expect, test } from 'vitest';
import type { EgressLease } from '../../src/shared/egress/types.ts';
import { captionTag } from '../../src/shared/schemas/caption-tag.ts';
import { videoFormat, videoInfo } from '../../src/shared/schemas/video.ts';
import { emptyFormat } from '../../src/workers/video/platforms/empty-format.ts';
import { isoDate, readCount } from '../../src/workers/video/platforms/loose.ts';
import { findObstacle } from '../../src/workers/video/platforms/youtube/playability.ts';
import { readYtDlp } from '../../src/workers/video/platforms/yt-dlp/read-yt-dlp.ts';
import { probeDownload } from '../../src/workers/video/probe-download.ts';
import { recognise } from '../../src/workers/video/source/recognise.ts';

const youtube = 'https://www.youtube.com';

test.each([
  ['https://www.youtube.com/e/abcdefghijk', 'youtube'],
  ['https://gaming.youtube.com/watch?v=abcdefghijk', 'youtube'],
  ['https://www.youtu.be/abcdefghijk', 'youtube'],
  ['https://tube.example/w/kkGMgK9ZtnKfYAgnEtQxbv;threadId=1', 'peertube'],
  ['https://tube.example/w/kkGMgK9ZtnKfYAgnEtQxbv/more', 'page'],
])('%s is of %s', (url, platform) => {
  expect(recognise(new URL(url), youtube).platform).toBe(platform);
});

test.each([
  ['This video is currently unavailable.', 'video_not_found'],
  ['This video requires payment to watch', 'video_private'],
  ['Join this channel to get access to members-only content', 'video_private'],
])('what YouTube says (%s) is %s', (reason, code) => {
  expect(findObstacle({ playabilityStatus: { status: 'ERROR', reason } })?.code).toBe(code);
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
      formats: [{ url: 'https://tube.example/a.mp4', format_id: 'a', filesize: 1e300, tbr: 1e300 }],
      subtitles: { 'en-eEY6OEpapPo': [{ ext: 'vtt', url: 'https://tube.example/a.vtt' }] },
      live_status: 'is_upcoming',
    }),
  );
  expect(videoInfo.safeParse(info).error).toBe(undefined);
  expect(videoFormat.safeParse(formats[0]).error).toBe(undefined);
  expect(captions.map(({ language }) => captionTag.safeParse(language).success)).toEqual([true]);
  expect(upcoming).toBe(true);
  expect([isoDate(1e15), readCount('9'.repeat(40))]).toEqual([null, null]);
});

test('the name of a file is cut between two characters', async () => {
  const lease = { fetch: async () => ({ status: 206, headers: {} }) } as unknown as EgressLease;
  const info = { title: `${'a'.repeat(119)}\u{1F600}`, id: 'a' } as Parameters<typeof probeDownload>[1];
  const format = { ...emptyFormat('18', 'https://tube.example/a', 'muxed'), container: 'mp4' };
  expect((await probeDownload(format, info, lease)).filename).toBe(`${'a'.repeat(119)} [18].mp4`);
});
