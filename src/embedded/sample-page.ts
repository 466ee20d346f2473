import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer } from '../shared/node-http.ts';

/** A page of our own to try the first calls on, since the machine may have no internet. */
export interface SamplePage extends AsyncDisposable {
  url: string;
  /** The one private target that the embedded start opens, as an entry of EGRESS_ALLOW. */
  allow: string;
}

const firstPort = 3_999;
const triedPorts = 100;

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>A page to try Quarry on</title>
<meta name="description" content="Served by your own Quarry, so that the first call works without the internet.">
<style>
  body { font: 18px/1.6 "DejaVu Sans", sans-serif; max-width: 40rem; margin: 4rem auto; color: #222 }
  h1 { color: #7a3e00 }
  @media (prefers-color-scheme: dark) { body { background: #111; color: #ddd } h1 { color: #ffb066 } }
</style>
</head>
<body>
<h1>It works</h1>
<p>This page is served by your own Quarry on loopback, so that the first call works without the internet.
Put the address of any public page in its place.</p>
<ul><li>scrape: its HTML and metadata</li><li>screenshot: its picture, kept by id</li></ul>
</body>
</html>
`;

async function listen(server: Server, port: number): Promise<boolean> {
  server.listen(port, '127.0.0.1');
  return await once(server, 'listening').then(
    () => true,
    () => false,
  );
}

/** On the same port at each start where it is free, so that a line that was printed once goes on working. */
export async function startSamplePage(): Promise<SamplePage> {
  const server = createServer((request, response) => {
    const found = request.url === '/';
    response
      .writeHead(found ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' })
      .end(found ? html : 'Not found');
  });
  let port = firstPort;
  while (!(await listen(server, port))) port = port < firstPort + triedPorts ? port + 1 : 0;
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${chosen}/`,
    allow: `127.0.0.1:${chosen}`,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
