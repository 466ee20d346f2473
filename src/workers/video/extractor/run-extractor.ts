import { join } from 'node:path';
import { AppError, fromStoredError } from '../../../shared/errors.ts';
import type { EgressLease } from '../../../shared/egress/types.ts';
import { findAccountFor } from '../../processes/account.ts';
import type { Reaper } from '../../processes/reaper.ts';
import { runProgram } from '../media-program.ts';
import type { PlatformSettings } from '../platforms/platform.ts';
import type { ExtractorAnswer, ExtractorResults, ExtractorTask } from './protocol.ts';

const projectFolder = join(import.meta.dirname, '../../../..');
const program = join(import.meta.dirname, 'main.ts');
const heapMegabytes = 384;
const maxAnswerBytes = 32 * 1024 * 1024;

/** Whom it runs as; undefined where that is ourselves. */
export const findExtractorAccount = () => findAccountFor(process.execPath, program);

export interface ExtractorOptions {
  lease: EgressLease;
  reaper: Reaper;
  settings: PlatformSettings;
  signal: AbortSignal;
  timeoutMs: number;
}

/**
 * Asks a platform in a process of its own (see main.ts).
 * @throws AppError the platform's failure, or the true cause of a request that got no answer; as `runProgram`.
 */
export async function runExtractor<Task extends ExtractorTask>(
  task: Task,
  options: ExtractorOptions,
): Promise<ExtractorResults[Task['task']]> {
  const { settings, lease, ...bounds } = options;
  const run = await runProgram({
    ...bounds,
    lease,
    path: process.execPath,
    script: program,
    args: () => [
      '--permission',
      `--allow-fs-read=${projectFolder}`,
      `--max-old-space-size=${heapMegabytes}`,
      '--disable-warning=ExperimentalWarning',
      '--disable-warning=SecurityWarning',
      program,
    ],
    // Node's own `fetch` takes the proxy of the environment only when told to.
    env: { NODE_USE_ENV_PROXY: '1' },
    input: JSON.stringify({ ...task, settings: settingsFor(task, settings) }),
    maxOutputBytes: maxAnswerBytes,
  });
  const reply = readAnswer(run.stdout);
  if (reply?.ok) return reply.value as ExtractorResults[Task['task']];
  if (run.refusal !== null) throw run.refusal;
  if (reply === null) throw ofDeath(run.exitCode, run.stderr);
  if ('error' in reply) throw fromStoredError(reply.error);
  throw (
    lease.failureOf(reply.unanswered) ??
    new AppError('target_unreachable', 'The site closed the connection without answering. Try again.')
  );
}

/** Secrets go where they are used alone: what a hostile page can make of its reader finds none. */
export function settingsFor(task: ExtractorTask, settings: PlatformSettings): PlatformSettings {
  return 'platform' in task && task.platform === 'youtube'
    ? settings
    : { ...settings, youtubeCookies: null, youtubePoToken: null };
}

function readAnswer(stdout: Buffer): ExtractorAnswer | null {
  try {
    return JSON.parse(stdout.toString()) as ExtractorAnswer;
  } catch {
    return null;
  }
}

function ofDeath(exitCode: number | null, stderr: string): Error {
  if (exitCode === null || /heap out of memory|Invalid (array|typed array) length/i.test(stderr))
    return new AppError(
      'target_too_large',
      'The answer of the site takes more memory to read than one request may.',
    );
  return new Error(`The extractor ended with ${exitCode}: ${stderr.slice(-2_000)}`);
}
