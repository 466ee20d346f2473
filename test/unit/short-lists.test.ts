import { expect, test } from 'vitest';
import type { ApiContext } from '../../src/api/http/context.ts';
import { shortenLists } from '../../src/api/http/short-lists.ts';

async function shortened(headers: Record<string, string>): Promise<Record<string, string>> {
  await shortenLists({ req: { headers } } as unknown as ApiContext, async () => undefined);
  return headers;
}

test('of what a client takes no more is gone through than a client has to say', async () => {
  const accept = '*/*;q=0.1,'.repeat(1_400);
  expect(await shortened({ accept, 'accept-encoding': 'br;q=0.5,'.repeat(150) })).toEqual({
    accept: '*/*;q=0.1,'.repeat(32).slice(0, -1),
    'accept-encoding': 'br;q=0.5,'.repeat(32).slice(0, -1),
  });
  expect(await shortened({ accept: `text/html${';q=1'.repeat(5_000)},*/*;q=0.5` })).toEqual({
    accept: 'text/html,*/*;q=0.5',
  });
  expect(await shortened({ 'accept-encoding': `${'x'.repeat(15_000)},gzip` })).toEqual({
    'accept-encoding': `${'x'.repeat(200)},gzip`,
  });
  const usual = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8' };
  expect(await shortened({ ...usual })).toEqual(usual);
});
