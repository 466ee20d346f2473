import { spawnSync } from 'node:child_process';

/** Whom a program that runs foreign code runs as, where we are root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Of nobody else: `nobody` may also be the user of a database. A number needs no entry in /etc/passwd; this one lies
 * in the range that Debian gives out on request only, and below those that systemd hands out.
 */
const unprivileged: Account = { uid: 60_899, gid: 60_899 };

/**
 * The account for programs that run foreign code. Undefined where we are no root, so that they run as ourselves,
 * and where root may not become somebody else (a container that knows one user only).
 */
export function findUnprivilegedAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return canRun(unprivileged, 'exit 0') ? unprivileged : undefined;
}

/** Asked of the kernel rather than computed from mode bits, which know nothing of ACLs or mounts. */
export function canEnter(account: Account, folder: string): boolean {
  return canRun(account, 'cd "$0"', folder);
}

const accounts = new Map<string, Account | undefined>();

/**
 * Whom a program runs as: the unprivileged account where we are root and it can run the program and read its `script`,
 * else ourselves (that of a package, or of ours, in a folder that only root enters).
 */
export function findAccountFor(program: string, script = program): Account | undefined {
  const key = `${program}\0${script}`;
  if (!accounts.has(key)) {
    const account = findUnprivilegedAccount();
    const isUsable = account !== undefined && canRun(account, '[ -x "$0" ] && [ -r "$1" ]', program, script);
    accounts.set(key, isUsable ? account : undefined);
  }
  return accounts.get(key);
}

function canRun(account: Account, script: string, ...args: string[]): boolean {
  return spawnSync('/bin/sh', ['-c', script, ...args], { ...account, cwd: '/', env: {} }).status === 0;
}
