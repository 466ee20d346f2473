import { expect, test } from 'vitest';
import { createKeyText } from '../../src/shared/keys/key-text.ts';
import { createLog } from '../../src/shared/log.ts';

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
