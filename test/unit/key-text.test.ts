import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createKeyText, keyPreview, parseKeyText, redactKeys } from '../../src/shared/keys/key-text.ts';

test('a key is svc_live_ and 50 base62 characters, and its lookup id is the first 12', () => {
  const { text, lookupId } = createKeyText();
  expect(text).toMatch(/^svc_live_[0-9A-Za-z]{50}$/);
  expect(text.slice(9, 21)).toBe(lookupId);
  expect(parseKeyText(text)).toEqual({ text, lookupId });
  expect(keyPreview).toBe('svc_live...****');
});

test('the checksum is the CRC-32 of all before it, in base62', () => {
  // CRC-32 of the first 53 characters is 0x9E8FA1D3 (zlib.crc32 of Python), 2660213203 = "2u1yPr" in base62.
  const body = 'svc_live_' + '0'.repeat(44);
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const accepted = [...Array(62 ** 2).keys()].filter((n) =>
    parseKeyText(`${body}${checksumPrefix(body)}${digits[Math.floor(n / 62)]}${digits[n % 62]}`),
  );
  expect(accepted).toHaveLength(1);
});

/** An independent CRC-32 (reflected, polynomial 0xEDB88320): its first four base62 digits. */
function checksumPrefix(text: string): string {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  let value = (crc ^ 0xffffffff) >>> 0;
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let result = '';
  for (let i = 0; i < 6; i++) {
    result = digits[value % 62] + result;
    value = Math.floor(value / 62);
  }
  return result.slice(0, 4);
}

test('changing any one character makes a key that is refused', () => {
  const { text } = createKeyText();
  fc.assert(
    fc.property(
      fc.nat(text.length - 1),
      fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
      (at, other) => {
        fc.pre(text[at] !== other);
        expect(parseKeyText(text.slice(0, at) + other + text.slice(at + 1))).toBeNull();
      },
    ),
    { numRuns: 2_000 },
  );
});

test('parsing never throws, whatever the text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => parseKeyText(text) === null),
  );
});

test('a key is redacted with encoded spaces or line breaks in it, and what stands behind it is not', () => {
  const { text } = createKeyText();
  for (const gap of ['%20', '%0A', '%00', '%2520'])
    expect(redactKeys(`/a/${text.slice(0, 20)}${gap}${text.slice(20)}/b?c`)).toBe(
      '/a/svc_live_[redacted]/b?c',
    );
});
