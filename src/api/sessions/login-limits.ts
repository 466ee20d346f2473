import { createHash } from 'node:crypto';
import type { Db } from '../../shared/db/client.ts';
import {
  deleteEndedLoginWindows,
  giveBackLoginAttempt,
  hasLoginWindow,
  openLoginWindow,
  secondsOfFullWindow,
  takeDelayedAttempt,
  takeLoginAttempt,
} from '../../shared/db/login-attempts.ts';
import { networkOf } from './client-address.ts';

/** Failed attempts from one client address, and of those at one account, in a window. In Postgres, so for all processes. */
const attemptsPerWindow = 10;
const signUpsPerWindow = 10;
/** Of one account from one address that succeed: each costs a slow hash, a session and an entry of the audit log. */
const signIns = { perWindow: 60, windowSeconds: 3_600 };
const windowSeconds = 15 * 60;
/** An account has signed in from an address, and may again without waiting for the attempts of others. */
const knownForSeconds = 30 * 86_400;
/** A refusal answers those that come right after it: no longer, since attempts are given back, in other processes too. */
const refusedForMs = 200;
/** Between two attempts at one account, wherever they come from, once that many have failed. */
const accountDelay = {
  freeAttempts: attemptsPerWindow,
  firstSeconds: 10,
  longestSeconds: 60,
  forgottenAfterSeconds: windowSeconds,
};

export interface LoginAttempt {
  /** As the request names it; null where it names none. */
  email: string | null;
  clientAddress: string;
}

export interface LoginLimits {
  /** @returns null when the attempt may go on, else the seconds to wait. Nothing tells whether the account exists. */
  take(attempt: LoginAttempt): Promise<number | null>;
  /** New accounts from one address are bounded for themselves. @returns as `take` */
  takeSignUp(clientAddress: string): Promise<number | null>;
  /** A right password is no failed attempt: many people may share one address. */
  succeed(attempt: LoginAttempt): Promise<void>;
}

const accountOf = (email: string): string =>
  `account:${createHash('sha256').update(email.trim().toLowerCase()).digest('base64url')}`;

/** Those with a bound; the address first: one that is refused must not use up attempts at somebody's account. */
function boundedOf({ email, clientAddress }: LoginAttempt): string[] {
  const address = `address:${networkOf(clientAddress)}`;
  return email === null ? [address] : [address, `${accountOf(email)} ${address}`];
}

const fromThere = (what: string, email: string, clientAddress: string): string =>
  `${what}:${accountOf(email)} ${networkOf(clientAddress)}`;

/** By address, or who has a script sign in could not do so elsewhere. */
const signedInOf = (email: string, clientAddress: string) => fromThere('signed-in', email, clientAddress);

const knownOf = (email: string, clientAddress: string) => fromThere('known', email, clientAddress);

/**
 * Whoever tries passwords is locked out, from where they are; the account is not, or a stranger could lock its owner
 * out: attempts at it that come from many addresses only have to wait for each other, longer with each, and not where the
 * account has signed in before.
 */
export function createLoginLimits(db: Db): LoginLimits {
  /** By subject the seconds to wait: thousands of attempts at once need no queries each. */
  const refusedLately = new Map<string, number>();

  async function takeAttempt(subject: string, limit: number): Promise<number | null> {
    const lately = refusedLately.get(subject);
    if (lately !== undefined) return lately;
    const seconds = await takeLoginAttempt(db, subject, limit, windowSeconds);
    if (seconds === null || refusedLately.has(subject)) return seconds;
    refusedLately.set(subject, seconds);
    setTimeout(() => refusedLately.delete(subject), refusedForMs).unref();
    return seconds;
  }

  const giveBackAll = async (subjects: readonly string[]) => {
    for (const subject of subjects) {
      await giveBackLoginAttempt(db, subject);
      refusedLately.delete(subject);
    }
  };
  /** Who has to wait has tried nothing. */
  const refuse = async (counted: readonly string[], seconds: number) => {
    await giveBackAll(counted);
    return seconds;
  };
  return {
    async take(attempt) {
      const { email, clientAddress } = attempt;
      const subjects = boundedOf(attempt);
      const lately = subjects.map((subject) => refusedLately.get(subject)).find((it) => it !== undefined);
      if (lately !== undefined) return lately;
      const signedIn = email === null ? null : signedInOf(email, clientAddress);
      const full = signedIn && (await secondsOfFullWindow(db, signedIn, signIns.perWindow));
      if (full) return full;
      const counted: string[] = [];
      for (const subject of subjects) {
        const seconds = await takeAttempt(subject, attemptsPerWindow);
        if (seconds !== null) return await refuse(counted, seconds);
        counted.push(subject);
      }
      if (email === null) return null;
      if (await hasLoginWindow(db, knownOf(email, clientAddress))) return null;
      const seconds = await takeDelayedAttempt(db, accountOf(email), accountDelay);
      return seconds === null ? null : await refuse(counted, seconds);
    },
    takeSignUp: (clientAddress) => takeAttempt(`sign-up:${networkOf(clientAddress)}`, signUpsPerWindow),
    async succeed(attempt) {
      const { email, clientAddress } = attempt;
      await giveBackAll(boundedOf(attempt));
      if (email !== null) {
        const signedIn = signedInOf(email, clientAddress);
        await takeLoginAttempt(db, signedIn, signIns.perWindow, signIns.windowSeconds);
        const known = knownOf(email, clientAddress);
        if (!(await hasLoginWindow(db, known))) await giveBackAll([accountOf(email)]);
        await openLoginWindow(db, known, knownForSeconds);
      }
      await deleteEndedLoginWindows(db);
    },
  };
}
