import { randomFillSync } from 'node:crypto';
import { v7, validate } from 'uuid';

const idBytes = 16;
/** Of many ids: asking for those of one takes longer than all else of it. */
const randomBytes = Buffer.alloc(256 * idBytes);
let usedBytes = randomBytes.length;

function takeRandom(): Buffer {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes);
    usedBytes = 0;
  }
  usedBytes += idBytes;
  return randomBytes.subarray(usedBytes - idBytes, usedBytes);
}

let msecs = 0;
/** Orders those of one millisecond. */
let seq = 0;

/** UUID v7: ids sort by the time they were made; those of one process also within a millisecond. */
export function createId(): string {
  const random = takeRandom();
  const now = Date.now();
  if (now > msecs) {
    msecs = now;
    seq = random.readUInt32BE() >>> 1;
  } else {
    seq = (seq + 1) >>> 0;
    if (seq === 0) msecs++;
  }
  return v7({ random, msecs, seq });
}

export function isId(text: string): boolean {
  return validate(text);
}

/** The least id that can have been made at that time (milliseconds since the epoch) or later. */
export function idNotBefore(at: number): string {
  const time = Math.floor(at).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}
