import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import type { Db } from '../../shared/db/client.ts';
import {
  deleteEndedLoginWindows,
  giveBackLoginAttempt,
  takeLoginAttempt,
} from '../../shared/db/login-attempts.ts';

/** Failed attempts of one account and of one client address in a window. In Postgres, so for all processes. */
const attemptsPerWindow = 10;
const windowSeconds = 15 * 60;

export interface LoginAttempt {
  /** As the request names it; null where it names none. */
  email: string | null;
  clientAddress: string;
}

export interface LoginLimits {
  /** @returns null when the attempt may go on, else the seconds to wait. Nothing tells whether the account exists. */
  take(attempt: LoginAttempt): Promise<number | null>;
  /** A successful sign-in is no attempt: many people may share one address. */
  giveBack(attempt: LoginAttempt): Promise<void>;
}

/** A household or server gets a whole /64 of IPv6 addresses. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`;
}

/** The address first: one that is refused must not use up the attempts of somebody else's account. */
function subjectsOf({ email, clientAddress }: LoginAttempt): string[] {
  const account =
    email === null ? null : createHash('sha256').update(email.trim().toLowerCase()).digest('base64url');
  return [`address:${networkOf(clientAddress)}`, ...(account === null ? [] : [`account:${account}`])];
}

export function createLoginLimits(db: Db): LoginLimits {
  return {
    async take(attempt) {
      for (const subject of subjectsOf(attempt)) {
        const taken = await takeLoginAttempt(db, subject, attemptsPerWindow, windowSeconds);
        if (!taken.accepted) return taken.retryAfterSeconds;
      }
      return null;
    },
    async giveBack(attempt) {
      for (const subject of subjectsOf(attempt)) await giveBackLoginAttempt(db, subject);
      await deleteEndedLoginWindows(db);
    },
  };
}
