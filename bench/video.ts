import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { largeBytes, startMediaFiles } from '../test/support/media-files.ts';
import { pidOf } from '../test/support/processes.ts';
import { startService } from '../test/support/service.ts';
import { startYoutube } from '../test/support/youtube-stand-in.ts';
import { median, timeOf } from './measure.ts';
import { tellFigure } from './figures.ts';

/**
 * What a frame late in a long video costs beside an early one, and what a large file through the tunnel does to the
 * memory of the API. `node bench/video.ts [GB]`, 2 where nothing is said.
 */
const sizeBytes = Math.round(Number(process.argv[2] ?? 2) * 1024 ** 3);
const hours = 2;
const rounds = 10;
const [early, late] = [10, 6_000];
const megabyte = 1024 * 1024;
const base = '/api/proxy/video/v1/platform';

await using media = await startMediaFiles();
await using youtube = await startYoutube(`${media.url}/large/${sizeBytes}`);
const service = await startService({ env: { YOUTUBE_URL: youtube.url, VIDEO_ENGINES: 'native' } });

async function ask<Data>(path: string, query: Record<string, string>): Promise<Data> {
  const response = await fetch(`${service.url}${base}/${path}?${new URLSearchParams(query)}`, {
    headers: { 'X-API-Key': service.key },
  });
  const body = (await response.json()) as { data: Data };
  if (response.status !== 200) throw new Error(JSON.stringify(body));
  return body.data;
}

/** Two hours that change all the time, a key frame every ten seconds, the index at the beginning. */
async function makeLongVideo(): Promise<void> {
  const source = `testsrc2=size=320x240:rate=10:duration=${hours * 3_600}`;
  const encode = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '100', '-movflags', '+faststart'];
  await promisify(execFile)(media.ffmpeg, [
    '-v',
    'error',
    '-nostdin',
    '-y',
    '-f',
    'lavfi',
    '-i',
    source,
    ...encode,
    join(media.folder, 'long.mp4'),
  ]);
}

async function measureFrames(): Promise<void> {
  await makeLongVideo();
  const url = `${media.url}/long.mp4`;
  const info = await ask<{ durationSeconds: number }>('info', { url });
  const times: Record<number, number[]> = { [early]: [], [late]: [] };
  const sent = new Map<number, number>();
  for (let round = -1; round < rounds; round++) {
    for (const second of [early, late]) {
      // Another moment each time, so that nothing is joined or remembered.
      const timestamp = String(second + (round + 1) * 0.1);
      const before = media.sent.get('/long.mp4') ?? 0;
      const ms = await timeOf(() => ask('screenshot', { url, timestamp }));
      if (round >= 0) times[second]?.push(ms);
      sent.set(second, (media.sent.get('/long.mp4') ?? 0) - before);
    }
  }
  console.log(`Frames of a video of ${info.durationSeconds} s, ${rounds} each, after its first extraction`);
  for (const second of [early, late]) {
    const ms = median(times[second] ?? []).toFixed(0);
    console.log(
      `  at ${second} s  p50 ${ms} ms   ${((sent.get(second) ?? 0) / megabyte).toFixed(1)} MB fetched`,
    );
  }
  tellFigure({
    what: `a frame at ${late} s, against one at ${early} s`,
    value: median(times[late] ?? []),
    unit: 'ms',
    baseline: median(times[early] ?? []),
  });
  console.log(`  ratio    ${(median(times[late] ?? []) / median(times[early] ?? [])).toFixed(2)}`);
}

function memoryOf(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}

async function readAll(link: string): Promise<{ bytes: number; wrongAt: number | null; mostMb: number }> {
  const pid = pidOf(service, 'api');
  let [bytes, mostMb, pieces] = [0, memoryOf(pid), 0];
  let wrongAt: number | null = null;
  const response = await fetch(link);
  for await (const piece of response.body ?? []) {
    // All that the place tells, at the beginning of each piece; comparing every byte would measure this process.
    const head = Buffer.from(piece.subarray(0, 512));
    if (!head.equals(largeBytes(bytes, head.length))) wrongAt ??= bytes;
    bytes += piece.length;
    if (++pieces % 500 === 0) mostMb = Math.max(mostMb, memoryOf(pid));
  }
  return { bytes, wrongAt, mostMb };
}

interface Download {
  url: string;
  sizeBytes: number;
}

async function measureTunnel({ url: link, sizeBytes: told }: Download): Promise<void> {
  // Warm: what a first download brings into memory stays there.
  await (await fetch(link, { headers: { range: `bytes=0-${64 * megabyte}` } })).arrayBuffer();
  const beforeMb = memoryOf(pidOf(service, 'api'));
  let read = { bytes: 0, wrongAt: null as number | null, mostMb: 0 };
  const ms = await timeOf(async () => (read = await readAll(link)));
  console.log(`\nA file of ${(told / 1024 ** 3).toFixed(2)} GB through the tunnel`);
  const rate = read.bytes / megabyte / (ms / 1_000);
  tellFigure({ what: 'a file through the tunnel', value: rate, unit: 'MB/s' });
  const verdict =
    read.bytes === told && read.wrongAt === null ? 'all as they should be' : `wrong: ${JSON.stringify(read)}`;
  console.log(`  ${read.bytes} bytes, ${verdict}; ${rate.toFixed(0)} MB/s`);
  console.log(`  memory of the API: ${beforeMb.toFixed(0)} MB before, ${read.mostMb.toFixed(0)} MB at most`);
  for (const start of [0, Math.floor(told / 2) - 7, told - megabyte]) {
    const range = `bytes=${start}-${start + megabyte - 1}`;
    const response = await fetch(link, { headers: { range } });
    const part = Buffer.from(await response.arrayBuffer());
    const isRight = response.status === 206 && part.equals(largeBytes(start, megabyte));
    console.log(`  ${range}: ${response.status}, ${isRight ? 'right' : 'wrong'}`);
  }
}

try {
  await measureFrames();
  await measureTunnel(await ask('download', { url: 'https://www.youtube.com/watch?v=talk0000000' }));
} finally {
  await service.stop();
}
