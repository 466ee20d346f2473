import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { findProgramOnPath } from '../../src/shared/programs-on-path.ts';
import { startReaper } from '../../src/workers/processes/reaper.ts';
import { type ProgramRequest, runProgram } from '../../src/workers/video/media-program.ts';
import { runFfmpeg } from '../../src/workers/video/ffmpeg.ts';
import { openYtDlp, runYtDlp } from '../../src/workers/video/yt-dlp.ts';
import { openLoopbackDoor } from '../support/egress-origin.ts';
import { startMediaFiles } from '../support/media-files.ts';
import { startConnectProxy } from '../support/upstream-proxy.ts';

/** Runs a shell script as the program. */
async function runScript(script: string, options: Partial<ProgramRequest> = {}) {
  await using door = openLoopbackDoor();
  await using lease = door.openLease();
  const signal = new AbortController().signal;
  await using reaper = startReaper();
  const args = () => ['-c', script];
  return await runProgram({ path: '/bin/sh', args, lease, reaper, signal, timeoutMs: 10_000, ...options });
}

/** One that has ended but was not waited for has no command line any more. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'it did not fail',
    (error: { code?: string; message: string }) => error.code ?? error.message,
  );

describe('a program behind the door', () => {
  test('finds the proxy in its environment, and nothing of ours', async () => {
    process.env['no_proxy'] = '*';
    process.env['SECRET_OF_OURS'] = 's3cret';
    const { stdout, exitCode } = await runScript('env; exit 3').finally(() => {
      delete process.env['no_proxy'];
      delete process.env['SECRET_OF_OURS'];
    });
    const text = stdout.toString();
    expect(exitCode).toBe(3);
    expect(text).toMatch(/^http_proxy=http:\/\/lease:[0-9a-f]{32}@127\.0\.0\.1:\d+$/m);
    expect(text).toMatch(/^https_proxy=http:\/\/lease:[0-9a-f]{32}@127\.0\.0\.1:\d+$/m);
    expect(text).not.toMatch(/no_proxy|s3cret|npm_/i);
  });

  test('runs as an account of its own where we are root', async () => {
    const { stdout } = await runScript('id -u; echo mine > own; cat own');
    const own = process.getuid?.() === 0 ? 60_899 : process.getuid?.();
    expect(stdout.toString()).toBe(`${own}\nmine\n`);
  });

  test('is not left running by a signal that comes while its way is opened', async () => {
    await using door = openLoopbackDoor();
    await using lease = door.openLease();
    const job = new AbortController();
    const open = lease.openProxy.bind(lease);
    lease.openProxy = async () => {
      job.abort(new Error('canceled'));
      return await open();
    };
    await expect(runScript('sleep 30', { lease, signal: job.signal })).rejects.toThrow('canceled');
  });

  test('has an empty home, which is gone afterwards', async () => {
    const { stdout } = await runScript('pwd; echo "$HOME"; ls -A; touch left');
    const [folder = '', home, ...rest] = stdout.toString().trim().split('\n');
    expect(home).toBe(folder);
    expect(rest).toEqual([]);
    expect((await runScript(`ls -d ${folder}`)).exitCode).not.toBe(0);
  });

  test('ends with all that it has started when its job is aborted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quarry-test-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    // The program is somebody else where we are root.
    await chmod(folder, 0o777);
    const file = join(folder, 'pids');
    const read = async () => (await readFile(file, 'utf8').catch(() => '')).trim().split(/\s+/).map(Number);
    const ending = new AbortController();
    const script = `sleep 60 & echo $$ $! > ${file}; wait`;
    const run = codeOf(runScript(script, { signal: ending.signal }));
    await expect.poll(async () => (await read()).length).toBe(2);
    const pids = await read();
    expect(pids.every(isRunning)).toBe(true);
    ending.abort(new Error('canceled'));
    expect(await run).toBe('canceled');
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  });

  test('ends with its home when its worker is killed', async () => {
    const program = fileURLToPath(new URL('../support/media-worker.ts', import.meta.url));
    const worker = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [output] = (await once(worker.stdout, 'data')) as [Buffer];
    const [home = '', ...pids] = output.toString().trim().split(' ');
    expect(pids.map(Number).map(isRunning)).toEqual([true, true]);
    expect(existsSync(home)).toBe(true);
    worker.kill('SIGKILL');
    await expect.poll(() => pids.map(Number).filter(isRunning), { timeout: 15_000 }).toEqual([]);
    await expect.poll(() => existsSync(home), { timeout: 15_000 }).toBe(false);
  });

  test('is stopped at its deadline, and when it tells too much', async () => {
    expect(await codeOf(runScript('sleep 60', { timeoutMs: 200 }))).toBe('target_timeout');
    expect(await codeOf(runScript('yes', { maxOutputBytes: 100_000 }))).toBe('target_too_large');
  });

  test('that does not exist is an error, not a wait', async () => {
    expect(await codeOf(runScript('', { path: '/no/such/program' }))).toBe('ENOENT');
    expect(await codeOf(openYtDlp('/no/such/program'))).toBe('not_configured');
  });
});

test('ffmpeg opens http and https only', async () => {
  await using door = openLoopbackDoor();
  await using lease = door.openLease();
  await using reaper = startReaper();
  const request = { path: '/bin/false', outputOptions: [], lease, reaper, timeoutMs: 1_000 };
  for (const input of [
    'file:///etc/passwd',
    '/etc/passwd',
    'rtsp://127.0.0.1/',
    'concat:http://a/|http://b/',
  ]) {
    const { signal } = new AbortController();
    expect(await codeOf(runFfmpeg({ ...request, input, signal })), input).toBe('invalid_request');
  }
  expect(lease.outcomes).toEqual([]);
});

const ytDlpPath = findProgramOnPath('yt-dlp');
describe.each(['ffmpeg', 'yt-dlp'])('%s behind a proxy of EGRESS_PROXY', (name) => {
  test.skipIf(name === 'yt-dlp' && ytDlpPath === undefined)(
    'goes through it, and nowhere where it is dead (needs the program)',
    async () => {
      await using media = await startMediaFiles();
      await using proxy = await startConnectProxy();
      await using door = openLoopbackDoor({ proxies: [`*=http://127.0.0.1:${proxy.port}`] });
      await using reaper = startReaper();
      const url = `${media.url}/fast.mp4`;
      const run = async () => {
        await using lease = door.openLease();
        const request = { lease, reaper, signal: new AbortController().signal, timeoutMs: 50_000 };
        if (name === 'yt-dlp')
          return await runYtDlp({ ...request, program: await openYtDlp(ytDlpPath ?? ''), url });
        const outputOptions = ['-frames:v', '1', '-c:v', 'png', '-f', 'image2pipe'];
        return await runFfmpeg({ ...request, path: media.ffmpeg, input: url, outputOptions });
      };
      const { exitCode, stdout, stderr } = await run();
      expect([exitCode, stdout.length > 100], stderr).toEqual([0, true]);
      expect(proxy.asked.length).toBeGreaterThan(0);
      expect(media.origin.connections).toBe(proxy.asked.length);

      await proxy[Symbol.asyncDispose]();
      const cutOff = await run();
      expect(cutOff.exitCode).not.toBe(0);
      expect(cutOff.refusal).toMatchObject({ code: 'egress_proxy_failed' });
      expect(cutOff.refusal?.detail).toContain('EGRESS_PROXY');
      expect(media.origin.connections).toBe(proxy.asked.length);
    },
    120_000,
  );
});
