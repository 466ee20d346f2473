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

function canRun(account: Account, script: string, ...args: string[]): boolean {
  return spawnSync('/bin/sh', ['-c', script, ...args], { ...account, cwd: '/', env: {} }).status === 0;
}
