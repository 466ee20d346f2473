import { expect, test } from 'vitest';
import { type AskOptions, createAsk } from '../../src/workers/seo/upstream.ts';

test('an answer of a service is read in its own charset', async () => {
  const lease = {
    fetch: async () => ({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=ISO-8859-1' },
      body: Buffer.from('["caf\u00e9"]', 'latin1'),
      truncated: false,
    }),
  };
  const { ask } = createAsk({
    lease,
    slots: { take: async (_: string, __: number, use: () => unknown) => await use() },
    kept: { find: async () => null, keep: async () => undefined },
    rests: { leftMs: async () => 0, begin: async () => undefined },
    signal: new AbortController().signal,
  } as unknown as AskOptions);
  const { text } = await ask(
    { name: 'Suggest', host: 'a.example', delayMs: 0 },
    { url: 'https://a.example/' },
  );
  expect(text).toBe('["caf\u00e9"]');
});
