import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { commandLine } from '../../src/embedded/processes.ts';
import { applicationName } from '../../src/shared/db/connections.ts';
import type { Db } from '../../src/shared/db/client.ts';
import type { Service } from './service.ts';

const project = join(import.meta.dirname, '../..');

const programs = {
  api: 'src/api/main.ts',
  'worker-http': 'src/workers/main.ts http video ai seo',
  'worker-browser': 'src/workers/main.ts browser review',
};

/** The process id of one of a service's children. @throws Error while it does not run. */
export function pidOf({ home }: Pick<Service, 'home'>, child: keyof typeof programs): number {
  const { children } = JSON.parse(readFileSync(join(home, 'holder.json'), 'utf8')) as {
    children: { pid: number }[];
  };
  const found = children.find(({ pid }) =>
    commandLine(pid).replaceAll('\0', ' ').trim().endsWith(programs[child]),
  );
  if (found === undefined) throw new Error(`${child} does not run`);
  return found.pid;
}

/** The process of one of a service's own stores, found by the data folder or the program in its command line. */
export function pidOfStore({ home }: Pick<Service, 'home'>, kind: 'postgres' | 'redis'): number {
  if (kind === 'postgres') {
    return Number(readFileSync(join(home, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  }
  const { children } = JSON.parse(readFileSync(join(home, 'holder.json'), 'utf8')) as {
    children: { pid: number }[];
  };
  const found = children.find(({ pid }) => /js-redis|redis-server|valkey-server/.test(commandLine(pid)));
  if (found === undefined) throw new Error('No Redis process is in holder.json');
  return found.pid;
}

/** The environment that the supervisor gave to the service's API: addresses and secrets. */
export function environmentOf(service: Pick<Service, 'home'>): Record<string, string> {
  const lines = readFileSync(`/proc/${pidOf(service, 'api')}/environ`, 'utf8').split('\0');
  return Object.fromEntries(
    lines
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Processes that have a file of the home open, as all of a service have one of its logs. */
export function pidsIn(home: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && pid !== process.pid && linksOf(pid).some((path) => path.startsWith(home)));
}

/** What a process has open; nothing where it is gone. */
function linksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
  } catch {
    return [];
  }
}

/** Processes of Postgres that serve connections of the process `pid`. */
export async function backendsOf(pid: number, db: Db): Promise<number[]> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where application_name = ${applicationName(pid)}`.execute(db);
  return rows.map((row) => row.pid);
}

export interface ExtraProcess {
  process: ChildProcess;
  /** What its ready message says, e.g. `url`. */
  ready: Record<string, unknown>;
  /** SIGTERM, and wait for its end. @returns its exit code. */
  stop(): Promise<number | null>;
}

/** Starts a further API (`src/api/main.ts`) or worker process beside a service, as an operator would. */
export async function startProcess(
  script: string,
  args: string[],
  env: Record<string, string>,
): Promise<ExtraProcess> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...args], {
    cwd: project,
    env: { ...env, QUARRY_SUPERVISED: '0' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [ready] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`${script} ended with ${code} before it was ready`);
    }),
  ])) as [Record<string, unknown>];
  return {
    process: child,
    ready,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const exited = once(child, 'exit') as Promise<[number | null]>;
      child.kill('SIGTERM');
      return (await exited)[0];
    },
  };
}
