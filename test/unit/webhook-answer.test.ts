import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { sendMessage } from '../../src/api/webhooks/send.ts';
import type { EgressDoor } from '../../src/shared/egress/types.ts';

test('what a receiver answers is kept without characters that JSON writes six times as long', async () => {
  const egress = {
    openLease: () => ({
      stream: async () => ({
        status: 200,
        body: Readable.from([Buffer.from('a\0\u0001\u001b\tb\r\nc\u007f')]),
      }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  } as unknown as EgressDoor;
  const { answer } = await sendMessage(egress, {
    delivery: { id: 'one', url: 'https://example.com/', claimed_at: new Date() },
    body: '{}',
    secrets: [],
    signal: new AbortController().signal,
  });
  expect(answer).toBe('a\ufffd\ufffd\ufffd\tb\r\nc\ufffd');
});
