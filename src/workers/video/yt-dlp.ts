import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { urlWithCredential } from '../../shared/egress/proxy-credential.ts';
import { AppError } from '../../shared/errors.ts';
import { bareEnvironment, type ProgramRequest, type ProgramRun, runProgram } from './media-program.ts';

export interface YtDlp {
  path: string;
  version: string;
}

export interface YtDlpRequest extends Omit<ProgramRequest, 'args' | 'path'> {
  program: YtDlp;
  /** http or https. */
  url: string;
  /** Such as `--flat-playlist`. */
  options?: readonly string[];
}

/** Earlier ones take a proxy, or none, from what a page's own address says (GHSA-3ch3-jhc6-5r8x). */
const oldestVersion = '2023.11.14';
/** From here on it runs the scripts of sites in a JavaScript runtime that it is told of. */
const runtimeVersion = '2025.11.12';
const versionMs = 20_000;

/** @throws AppError `not_configured` when there is none at `path`, or one that can be led past the proxy. */
export async function openYtDlp(path: string): Promise<YtDlp> {
  const bounds = { timeout: versionMs, env: bareEnvironment };
  const asked = promisify(execFile)(path, ['--ignore-config', '--version'], bounds);
  const version = await asked.then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
  if (/^\d{4}\.\d\d\.\d\d/.test(version) && version >= oldestVersion) return { path, version };
  const found = version === '' ? `does not run at ${path}` : `is of version ${version}`;
  throw new AppError(
    'not_configured',
    `yt-dlp ${found}. The operator must install ${oldestVersion} or newer.`,
  );
}

/**
 * Asks yt-dlp what it knows of a page, as JSON on its standard output, behind the egress door. It downloads no
 * media: for that it would start programs that know nothing of the proxy.
 * @throws AppError `invalid_request` for a URL that is not http or https, and as `runProgram`.
 */
export async function runYtDlp(request: YtDlpRequest): Promise<ProgramRun> {
  const { program, options = [], ...rest } = request;
  const url = URL.parse(request.url);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new AppError('invalid_request', 'Only http and https pages can be opened.');
  }
  // yt-dlp takes this for a note of its own, with headers and more for its requests.
  if (url.hash.includes('__youtubedl_smuggle')) url.hash = '';
  const proxyUrl = urlWithCredential(await request.lease.openProxy());
  const runtime = program.version >= runtimeVersion ? [`--js-runtimes=node:${process.execPath}`] : [];
  return await runProgram({
    ...rest,
    path: program.path,
    input: `--proxy=${proxyUrl}\n`,
    args: (home) => [
      ...options,
      ...runtime,
      '--ignore-config',
      // Its standard input: arguments are open to every process of the machine.
      '--config-locations=-',
      '--no-cache-dir',
      // An empty folder, so that it finds no ffmpeg to start.
      `--ffmpeg-location=${home}`,
      '--skip-download',
      '--dump-single-json',
      '--',
      url.href,
    ],
  });
}
