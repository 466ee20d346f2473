import { expect, test } from 'vitest';
import { createKeyText } from '../../src/shared/keys/key-text.ts';
import { createLog } from '../../src/shared/log.ts';

test.each([
  ['percent-encoded', (text: string) => text.replaceAll('_', '%5F')],
  ['in lower case', (text: string) => text.replaceAll('_', '%5f')],
  ['twice', (text: string) => text.replaceAll('_', '%255F')],
  [
    'as a whole',
    (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join(''),
  ],
])('a key in a URL path is hidden when it is encoded %s', (_what, encode) => {
  const { text } = createKeyText();
  let lines = '';
  const log = createLog({ level: 'trace', name: 'test', write: (line) => (lines += line) });
  log.info({ path: `/api/keys/${encode(text)}/usage` }, 'request');
  expect(lines).toContain('/api/keys/svc_live_[redacted]/usage');
});

test('a key never appears in a log line, wherever it was put', () => {
  const { text } = createKeyText();
  let lines = '';
  const log = createLog({ level: 'trace', name: 'test', write: (line) => (lines += line) });
  log.info({ headers: { 'x-api-key': text } }, `message with ${text}`);
  log.error({ err: new Error(`failed for ${text}`) }, 'error');
  log.child({ key: text }).warn('child');
  expect(lines.match(/\n/g)).toHaveLength(3);
  expect(lines).not.toContain(text.slice(9, 21));
  expect(lines).toContain('svc_live_[redacted]');
});
