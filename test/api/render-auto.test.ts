import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { call, scrapePath } from '../support/client.ts';
import { type PartSite, partSites, plainSite } from '../support/part-sites.ts';

const types: Record<string, string> = { js: 'text/javascript', json: 'application/json' };

async function startPartSite({ files }: PartSite): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    const type = types[path.split('.')[1] ?? ''] ?? 'text/html; charset=utf-8';
    response
      .writeHead(files[path] === undefined ? 404 : 200, { 'content-type': type })
      .end(files[path] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function scrape(site: PartSite): Promise<{ engine: string; text: string }> {
  await using server = await startPartSite(site);
  const { status, body } = await call(scrapePath, { body: { url: server.url, formats: ['text'] } });
  expect(status).toBe(200);
  return body['data'] as { engine: string; text: string };
}

describe('render: auto', () => {
  test('reads what scripts of the site bring to a long page', async () => {
    const answers = await Promise.all(partSites.map(scrape));
    const lost = partSites.filter(({ says }, index) => !answers[index]?.text.includes(says));
    expect(lost.map(({ what }) => what)).toEqual([]);
  });

  test('spares the browser where the scripts of a site bring nothing', async () => {
    expect(await scrape(plainSite)).toMatchObject({ engine: 'http' });
  });
});
