import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeyCipher } from '../../src/shared/keys/key-cipher.ts';
import { createKeyText } from '../../src/shared/keys/key-text.ts';

const old = { version: 1, key: randomBytes(32) };
const current = { version: 2, key: randomBytes(32) };
const { text } = createKeyText();

test('a sealed hash matches its own key text and no other', () => {
  const cipher = createKeyCipher([old]);
  const sealed = cipher.seal('row', text);
  expect(sealed.nonce).toHaveLength(12);
  expect(cipher.matches('row', text, sealed)).toBe(true);
  expect(cipher.matches('row', createKeyText().text, sealed)).toBe(false);
});

test('what is stored does not hold the hash in clear, and no two seals are alike', () => {
  const cipher = createKeyCipher([old]);
  const [first, second] = [cipher.seal('row', text), cipher.seal('row', text)];
  expect(first.encryptedHash.equals(second.encryptedHash)).toBe(false);
});

test('a hash moved to another row cannot be opened', () => {
  const cipher = createKeyCipher([old]);
  expect(() => cipher.matches('other row', text, cipher.seal('row', text))).toThrow();
});

test('the newest encryption key seals, older ones still open', () => {
  const sealedLongAgo = createKeyCipher([old]).seal('row', text);
  const cipher = createKeyCipher([current, old]);
  expect(cipher.matches('row', text, sealedLongAgo)).toBe(true);
  expect(cipher.seal('row', text).version).toBe(2);
});

test('a missing encryption key is named, not taken for a wrong API key', () => {
  const sealed = createKeyCipher([old]).seal('row', text);
  expect(() => createKeyCipher([current]).matches('row', text, sealed)).toThrow(/lacks version 1/);
});

test('a hash that was matched once is decrypted again where its bytes are others', () => {
  const cipher = createKeyCipher([current, old]);
  const sealed = createKeyCipher([old]).seal('row', text);
  expect(cipher.matches('row', text, sealed)).toBe(true);
  for (const part of ['encryptedHash', 'nonce'] as const) {
    const altered = Buffer.from(sealed[part]);
    altered[0]! ^= 1;
    expect(() => cipher.matches('row', text, { ...sealed, [part]: altered })).toThrow(
      /put the right one back/,
    );
  }
  const resealed = cipher.reseal('row', sealed);
  expect(cipher.matches('row', text, resealed)).toBe(true);
  expect(cipher.matches('row', createKeyText().text, resealed)).toBe(false);
  const replaced = cipher.seal('row', createKeyText().text);
  expect(cipher.matches('row', text, replaced)).toBe(false);
});
