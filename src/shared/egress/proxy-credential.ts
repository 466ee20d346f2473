import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ProxyAddress } from './types.ts';

const username = 'lease';

/** What a lease's proxy asks for: a port on loopback is open to every process of the machine. */
interface ProxyCredential {
  readonly username: string;
  readonly password: string;
  /** Whether a request has brought it. */
  isIn(request: IncomingMessage): boolean;
  /** Whether the bytes of a request that cannot be read hold it. */
  isAmong(bytes: Buffer): boolean;
}

export function createCredential(): ProxyCredential {
  const password = randomBytes(16).toString('hex');
  const expected = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  return {
    username,
    password,
    isIn({ headers }) {
      const given = Buffer.from(headers['proxy-authorization'] ?? '');
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
    isAmong: (bytes) => bytes.includes(expected),
  };
}

/** The proxy's address for a program that takes the credential in it. */
export function urlWithCredential({ url, username: user, password }: ProxyAddress): string {
  return url.replace('//', `//${user}:${password}@`);
}
