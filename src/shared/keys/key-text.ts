import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Constant first part of every key; also what secret scanners look for. */
export const keyPrefix = 'svc_live';
export const keyPreview = 'svc_live...****';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyPattern = /^svc_live_([0-9A-Za-z]{12})[0-9A-Za-z]{32}([0-9A-Za-z]{6})$/;

function randomText(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function checksumOf(text: string): string {
  let value = crc32(text);
  let digits = '';
  for (let i = 0; i < 6; i++) {
    digits = alphabet.charAt(value % 62) + digits;
    value = Math.floor(value / 62);
  }
  return digits;
}

/** A character as it is or percent-encoded, once or more often. */
const inAnyForm = (character: string): string => {
  const code = character.charCodeAt(0).toString(16);
  const digits = [...code].map((digit) => `[${digit}${digit.toUpperCase()}]`).join('');
  return `(?:${character}|%(?:25)*${digits})`;
};
/** Letters, digits, spaces and control characters, percent-encoded. */
const encoded = '%(?:25)*(?:[01][0-9A-Fa-f]|20|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|7[Ff])';
const keyInAnyForm = new RegExp(
  `${[...`${keyPrefix}_`].map(inAnyForm).join('')}(?:[0-9A-Za-z]|${encoded}){6,}`,
  'g',
);

/**
 * For what is logged or shown: whatever was said, a key is not in it, as it is or as a URL would spell it, also with
 * encoded spaces or line breaks behind its prefix.
 */
export function redactKeys(text: string): string {
  return text.replace(keyInAnyForm, 'svc_live_[redacted]');
}

export interface KeyText {
  /** The full secret; shown once, never stored. */
  text: string;
  /** 12 characters, public: how the key's row is found. */
  lookupId: string;
}

/** `svc_live_` + 12-character lookup id + 32-character secret (190 bits) + 6-character CRC-32, all base62. */
export function createKeyText(): KeyText {
  const lookupId = randomText(12);
  const body = `${keyPrefix}_${lookupId}${randomText(32)}`;
  return { text: body + checksumOf(body), lookupId };
}

/** Null where the text cannot be a key: wrong shape or wrong checksum. Never throws. */
export function parseKeyText(text: string): KeyText | null {
  const match = keyPattern.exec(text);
  if (match?.[1] === undefined || match[2] !== checksumOf(text.slice(0, -6))) return null;
  return { text, lookupId: match[1] };
}
