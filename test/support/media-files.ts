import { execFile } from 'node:child_process';
import { createReadStream, existsSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';

import { getFfmpeg } from '../../src/workers/video/programs.ts';
import { type Origin, startOrigin } from './egress-origin.ts';

const run = promisify(execFile);

const types: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.m3u8': 'application/vnd.apple.mpegurl',
  '.ts': 'video/mp2t',
  '.mpd': 'application/dash+xml',
  '.m4s': 'video/iso.segment',
  '.vtt': 'text/vtt',
  '.html': 'text/html',
};

/** Seconds and frame rate of the clips. */
export const clipSeconds = 12;
export const clipFps = 10;

/**
 * A picture that shows its own clock: the number of the frame in eight squares, the highest bit first, white for a
 * one. The second half second of each is left black where `darkness` says so.
 */
function clockFilter(darkness: string): string {
  const bit = `mod(floor(N/pow(2,7-floor(X/20))),2)`;
  return `geq=lum='if(${darkness},0,if(${bit},235,60))':cb=128:cr=128`;
}

export interface MediaFiles extends AsyncDisposable {
  origin: Origin;
  /** Without a slash at the end. */
  url: string;
  folder: string;
  ffmpeg: string;
  /** Bytes that were sent, by path. */
  sent: Map<string, number>;
  /** Serves a text at a path. */
  serve(path: string, type: string, body: string | Buffer): void;
}

async function makeClips(ffmpeg: string, folder: string): Promise<void> {
  const picture = (darkness: string): string[] => [
    '-f',
    'lavfi',
    '-i',
    `nullsrc=size=160x120:rate=${clipFps}:duration=${clipSeconds}`,
    '-f',
    'lavfi',
    '-i',
    `sine=frequency=440:duration=${clipSeconds}`,
    '-vf',
    clockFilter(darkness),
    '-pix_fmt',
    'yuv420p',
    '-g',
    '25',
  ];
  const make = (out: string, darkness: string, ...options: string[]): Promise<unknown> =>
    run(ffmpeg, ['-v', 'error', '-nostdin', '-y', ...picture(darkness), ...options, join(folder, out)]);
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac'];
  await make('slow.mp4', '0', ...h264);
  const copy = (out: string, ...options: string[]): Promise<unknown> =>
    run(ffmpeg, [
      '-v',
      'error',
      '-nostdin',
      '-y',
      '-i',
      join(folder, 'slow.mp4'),
      '-c',
      'copy',
      ...options,
      join(folder, out),
    ]);
  const hls = ['-f', 'hls', '-hls_time', '4', '-hls_playlist_type', 'vod'];
  const dash = ['-f', 'dash', '-seg_duration', '4'];
  await Promise.all([
    copy('fast.mp4', '-movflags', '+faststart'),
    // Pixels twice as wide as high.
    copy('anamorphic.mp4', '-t', '1', '-aspect', '8:3'),
    // Two seconds of picture, six of sound.
    run(ffmpeg, [
      '-v',
      'error',
      '-nostdin',
      '-y',
      ...[2, 6].flatMap((seconds) => ['-t', String(seconds), '-i', join(folder, 'slow.mp4')]),
      '-map',
      '0:v',
      '-map',
      '1:a',
      '-c',
      'copy',
      join(folder, 'long-sound.mp4'),
    ]),
    // A picture each five seconds, and a recording of a screen on which nothing moves from 3 s to 9 s.
    make(
      'slides.mp4',
      '0',
      '-vf',
      `${clockFilter('0')},select='not(mod(n,50))'`,
      '-fps_mode',
      'vfr',
      ...h264,
    ),
    make(
      'still.mp4',
      '0',
      '-vf',
      `${clockFilter('0')},select='not(between(n,31,89))'`,
      '-fps_mode',
      'vfr',
      ...h264,
    ),
    // Three seconds of sound before the first picture.
    make('late.mp4', '0', '-vf', `${clockFilter('0')},select='gte(n,30)'`, '-fps_mode', 'vfr', ...h264),
    copy('hls.m3u8', ...hls),
    // Segments that are parts of one file, and segments that a template counts.
    copy('ranges.m3u8', ...hls, '-hls_flags', 'single_file'),
    copy('dash.mpd', ...dash),
    copy('list.mpd', ...dash, '-single_file', '1'),
    copy(
      'number.mpd',
      ...dash,
      '-use_timeline',
      '0',
      '-init_seg_name',
      'number-$RepresentationID$.m4s',
      '-media_seg_name',
      'number-$RepresentationID$-$Number%03d$.m4s',
    ),
    make('clip.webm', '0', '-c:v', 'libvpx', '-deadline', 'realtime', '-c:a', 'libopus'),
    run(ffmpeg, [
      '-v',
      'error',
      '-nostdin',
      '-y',
      '-f',
      'lavfi',
      '-i',
      'color=black:size=10000x10000:rate=1:duration=1',
      '-c:v',
      'mjpeg',
      join(folder, 'huge.mp4'),
    ]),
    // Black wherever the middle of one of four parts is.
    make('dark.mp4', 'between(mod(N,30),12,18)', ...h264),
  ]);
}

/** Made once, and kept between runs: it takes seconds of ffmpeg, and several files of tests need them. */
async function getClips(ffmpeg: string): Promise<string> {
  const source = await readFile(import.meta.filename);
  const key = createHash('sha256').update(source).update(ffmpeg).digest('hex').slice(0, 16);
  const kept = join(tmpdir(), `quarry-test-media-${key}`);
  if (existsSync(kept)) return kept;
  const made = await mkdtemp(`${kept}-`);
  await makeClips(ffmpeg, made);
  // Somebody else may have been quicker.
  await rename(made, kept).catch(() => rm(made, { recursive: true, force: true }));
  return kept;
}

function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  size: number,
  ranges: boolean,
): void {
  const type = types[extname(path)] ?? 'application/octet-stream';
  const match = ranges ? /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') : null;
  const start = Number(match?.[1] ?? 0);
  const end = Math.min(size - 1, match?.[2] ? Number(match[2]) : size - 1);
  if (start > end && size > 0)
    return void response.writeHead(416, { 'content-range': `bytes */${size}` }).end();
  const length = { 'content-type': type, 'content-length': Math.max(0, end - start + 1) };
  if (match)
    response.writeHead(206, {
      ...length,
      'content-range': `bytes ${start}-${end}/${size}`,
      'accept-ranges': 'bytes',
    });
  else response.writeHead(200, length);
  if (size === 0) return void response.end();
  const file = createReadStream(path, { start, end });
  response.on('close', () => file.destroy());
  file.pipe(response);
}

/** A head, then zeros without an end. */
function sendForEver(response: ServerResponse, head: string | Buffer): void {
  const zeros = Buffer.alloc(64 * 1024);
  response.writeHead(200, { 'content-type': 'video/mp4' });
  const more = (): void => {
    while (!response.destroyed && response.write(zeros));
  };
  response.on('drain', more).write(head);
  more();
}

/** Bytes of a file of any size: each tells its place. */
export function largeBytes(start: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at++) {
    const place = start + at;
    bytes[at] = (place ^ (place >>> 8) ^ (place >>> 16)) & 255;
  }
  return bytes;
}

const pieceBytes = 256 * 1024;

function sendLarge(request: IncomingMessage, response: ServerResponse, size: number): void {
  const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
  const start = Number(match?.[1] ?? 0);
  const end = Math.min(size - 1, match?.[2] ? Number(match[2]) : size - 1);
  const range = match ? { 'content-range': `bytes ${start}-${end}/${size}` } : {};
  response.writeHead(match ? 206 : 200, {
    'content-type': 'video/mp4',
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    ...range,
  });
  Readable.from(
    (function* () {
      for (let at = start; at <= end; at += pieceBytes)
        yield largeBytes(at, Math.min(pieceBytes, end + 1 - at));
    })(),
  )
    .on('error', () => response.destroy())
    .pipe(response);
}

/**
 * Clips of all kinds, made by ffmpeg, on a server of loopback that answers byte ranges, and under `/whole/` none.
 * Under `/stalled/` ffmpeg waits for ever, `/signed/` asks for a signature, `/endless/` never ends, and
 * `/large/<bytes>` is as large as its name.
 */
export async function startMediaFiles(): Promise<MediaFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-media-files-'));
  const ffmpeg = await getFfmpeg(undefined);
  await cp(await getClips(ffmpeg), folder, { recursive: true });
  await writeFile(join(folder, 'empty.mp4'), '');
  const served = new Map<string, { type: string; body: string | Buffer }>();
  const sent = new Map<string, number>();
  const origin = await startOrigin((request, response) => {
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    const socket = request.socket;
    const before = socket.bytesWritten;
    response.once('close', () => sent.set(path, (sent.get(path) ?? 0) + socket.bytesWritten - before));
    const search = new URLSearchParams((request.url ?? '').split('?')[1]);
    const isFfmpeg = request.headers['user-agent']?.startsWith('Lavf') === true;
    // Waits until it is left.
    if (path.startsWith('/stalled/') && isFfmpeg)
      return void response.writeHead(200, { 'content-type': 'video/mp4' }).write('\0\0');
    if (path.startsWith('/signed/') && (search.get('sig') !== 'FEDCBA' || search.get('n') !== '54321'))
      return void response.writeHead(403).end();
    if (path.startsWith('/endless/')) return void sendForEver(response, served.get(path)?.body ?? '');
    if (path.startsWith('/large/')) return void sendLarge(request, response, Number(path.split('/')[2]));
    const own = served.get(path);
    if (own !== undefined) return void response.writeHead(200, { 'content-type': own.type }).end(own.body);
    const isWhole = path.startsWith('/whole/');
    const file = join(folder, path.replace(/^\/(?:whole|stalled|signed)(?=\/)/, ''));
    void stat(file).then(
      ({ size }) => sendFile(request, response, file, size, !isWhole),
      () => response.writeHead(404, { 'content-type': 'text/plain' }).end('No such file'),
    );
  });
  return {
    origin,
    url: origin.url.slice(0, -1),
    folder,
    ffmpeg,
    sent,
    serve: (path, type, body) => void served.set(path, { type, body }),
    async [Symbol.asyncDispose]() {
      await origin[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
