import { spawn } from 'node:child_process';
import { chown, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { urlWithCredential } from '../../shared/egress/proxy-credential.ts';
import type { EgressLease, EgressOutcome } from '../../shared/egress/types.ts';
import { AppError } from '../../shared/errors.ts';
import { type Account, findAccountFor } from '../processes/account.ts';
import { killGroup } from '../processes/kill-group.ts';
import { readProcessTree } from '../../shared/processes/process-tree.ts';
import type { Reaper } from '../processes/reaper.ts';

export interface ProgramRequest {
  /** The executable. */
  path: string;
  /** What it is to read and run, where it is an interpreter. */
  script?: string;
  /** @param home an empty folder that is the program's own, and deleted after it. */
  args(home: string): readonly string[];
  /** The program's way out: it is told to take the lease's proxy for everything. */
  lease: EgressLease;
  /** Ends the program where we do not come to it. */
  reaper: Reaper;
  /** Aborting it kills the program and all that it has started. */
  signal: AbortSignal;
  timeoutMs: number;
  /** Default 64 MiB. */
  maxOutputBytes?: number;
  /** For its standard input; without it, that is empty. */
  input?: string;
  /** In its environment, beside what every program finds there. */
  env?: Readonly<Record<string, string>>;
}

export interface ProgramRun {
  /** Null when a signal ended it. */
  exitCode: number | null;
  stdout: Buffer;
  /** Its last 64 KiB. */
  stderr: string;
  /** What became of the program's connections. */
  outcomes: readonly EgressOutcome[];
  /** Where the program was refused to go, whatever it says of it itself. */
  refusal: AppError | null;
}

const defaultMaxOutputBytes = 64 * 1024 * 1024;
const maxErrorCharacters = 64 * 1024;
/** Of a program and what it starts: a video of 8K takes some 50 MB a frame, and ffmpeg may hold half a second of them. */
const maxMemoryBytes = 2 * 1024 ** 3;
const checkEveryMs = 200;

/**
 * Runs a program that is not ours behind the egress door: with the lease's proxy, without our environment
 * (`no_proxy` would win over the proxy, and ours holds passwords), and without anybody's configuration files.
 * As root it runs as an account of its own. It leads a process group, which is killed as a whole.
 * @throws AppError `target_timeout` at the deadline, `target_too_large` past `maxOutputBytes`; the signal's reason;
 * Error when the program cannot be started.
 */
export async function runProgram(request: ProgramRequest): Promise<ProgramRun> {
  const { lease, reaper, signal } = request;
  signal.throwIfAborted();
  const before = lease.outcomes.length;
  const home = await mkdtemp(join(tmpdir(), 'quarry-media-'));
  const account = findAccountFor(request.path, request.script);
  if (account) await chown(home, account.uid, account.gid);
  reaper.watch(home);
  try {
    const proxyUrl = urlWithCredential(await lease.openProxy());
    const ended = await runToItsEnd(request, home, account, {
      ...environmentOf(home, proxyUrl),
      ...request.env,
    });
    const outcomes = lease.outcomes.slice(before);
    return { ...ended, outcomes, refusal: findRefusal(lease, outcomes) };
  } finally {
    await reaper.discard(home);
  }
}

/** What every program finds in its environment, and nothing of ours. */
export const bareEnvironment: Readonly<Record<string, string>> = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  LANG: 'C.UTF-8',
  HOME: '/nonexistent',
  YTDLP_NO_PLUGINS: '1',
  PYTHONNOUSERSITE: '1',
};

function environmentOf(home: string, proxyUrl: string): Record<string, string> {
  const places = { HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home, TMPDIR: home };
  return { ...bareEnvironment, ...places, http_proxy: proxyUrl, https_proxy: proxyUrl };
}

async function runToItsEnd(
  { path, args, reaper, signal, timeoutMs, maxOutputBytes = defaultMaxOutputBytes, input }: ProgramRequest,
  home: string,
  account: Account | undefined,
  env: Record<string, string>,
): Promise<Pick<ProgramRun, 'exitCode' | 'stdout' | 'stderr'>> {
  const child = spawn(path, args(home), {
    ...account,
    cwd: home,
    env,
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  // One that ends without reading it has its own reason.
  child.stdin?.on('error', () => {}).end(input);
  if (child.pid !== undefined) reaper.watch(home, child.pid);
  const ended = Promise.withResolvers<number | null>();
  child.once('error', ended.reject).once('close', ended.resolve);
  const stop = (reason: unknown): void => {
    ended.reject(reason);
    if (child.pid !== undefined) killGroup(child.pid);
  };
  const output: Buffer[] = [];
  let outputBytes = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    outputBytes += chunk.length;
    if (outputBytes > maxOutputBytes) stop(tooMuch(maxOutputBytes));
    else output.push(chunk);
  });
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-maxErrorCharacters);
  });
  const timer = setTimeout(() => stop(tooSlow(timeoutMs)), timeoutMs);
  const memoryWatch = setInterval(() => {
    const tree = child.pid === undefined ? [] : readProcessTree(child.pid);
    if (tree.reduce((sum, { bytes }) => sum + bytes, 0) > maxMemoryBytes) stop(tooGreedy);
  }, checkEveryMs);
  const onAbort = (): void => stop(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  // It may have come while the way was made ready.
  if (signal.aborted) onAbort();
  try {
    const exitCode = await ended.promise;
    return { exitCode, stdout: Buffer.concat(output), stderr };
  } finally {
    clearTimeout(timer);
    clearInterval(memoryWatch);
    signal.removeEventListener('abort', onAbort);
    // What it has started may outlive it.
    if (child.pid !== undefined) killGroup(child.pid);
  }
}

/** The first refusal, or failure of the way out itself, as the client should see it. */
function findRefusal(lease: EgressLease, outcomes: readonly EgressOutcome[]): AppError | null {
  const refused = outcomes.find(({ result }) => result === 'refused' || result === 'proxy');
  if (refused === undefined) return null;
  // An address of another protocol reaches the proxy as a request without a host.
  const known = refused.host === '' ? null : lease.failureOf(`http://${refused.host}:${refused.port}/`);
  if (refused.result === 'proxy') return known;
  return known?.code === 'url_not_allowed' ? known : otherProtocol();
}

/** The media lead on by a protocol that is not http or https. */
export function otherProtocol(): AppError {
  return new AppError(
    'url_not_allowed',
    'The media lead to an address that is not open to requests from here: only http and https URLs of the public web are.',
  );
}

function tooMuch(bytes: number): AppError {
  return new AppError(
    'target_too_large',
    `Processing the media exceeds the ${bytes} bytes that one request may produce.`,
  );
}

const tooGreedy = new AppError(
  'target_too_large',
  `The media take more than ${maxMemoryBytes / 1024 ** 3} GB of memory to read. Ask for a smaller format or width.`,
);

function tooSlow(timeoutMs: number): AppError {
  return new AppError('target_timeout', `The media could not be read within ${timeoutMs / 1000} s.`);
}
