import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import { articlePages } from './site/articles.ts';
import { documentPages, encodingPages, partPages } from './site/documents.ts';
import { consentPages } from './site/consent.ts';
import { vectorPages } from './site/egress-vectors.ts';
import { filePages } from './site/files.ts';
import { hostileBytePages } from './site/hostile-bytes.ts';
import { hostileContentPages } from './site/hostile-content.ts';
import { hostilePages } from './site/hostile.ts';
import { layoutPages } from './site/layouts.ts';
import { movingPages } from './site/moving.ts';
import { memoryBombs } from './site/memory-bombs.ts';
import { networkPages } from './site/network.ts';
import { sendHtml, type SitePage } from './site/page.ts';
import { urlPages } from './site/urls.ts';
import { wallPages } from './site/walls.ts';
import { scriptPages } from './site/scripts.ts';
import { writingPages } from './site/writing.ts';

export interface SiteRequest {
  method: string;
  /** Path and query. */
  path: string;
  headers: IncomingMessage['headers'];
  /** Whether the answer has been sent, or the client has gone. */
  closed: boolean;
}

export interface Site extends AsyncDisposable {
  /** e.g. `http://127.0.0.1:40123`, without a slash at the end. */
  origin: string;
  port: number;
  /** Every request so far, in order. */
  requests: SiteRequest[];
  /** How often a path (without its query) was asked for. */
  hits(path: string): number;
  /** Answers `html`, or a text of another type, at a path from now on. */
  serve(path: string, html: string, contentType?: string): void;
  close(): Promise<void>;
}

const pages: Record<string, SitePage> = {
  ...articlePages,
  ...documentPages,
  ...encodingPages,
  ...consentPages,
  ...filePages,
  ...hostileBytePages,
  ...hostileContentPages,
  ...hostilePages,
  ...layoutPages,
  ...movingPages,
  ...memoryBombs,
  ...networkPages,
  ...partPages,
  ...scriptPages,
  ...vectorPages,
  ...writingPages,
  ...urlPages,
  ...wallPages,
};

/** Starts the fixture web site on a free port of loopback. `/` lists its pages. */
export async function startSite(address = '127.0.0.1'): Promise<Site> {
  const requests: SiteRequest[] = [];
  const served = new Map<string, { text: string; contentType: string | undefined }>();
  const server = createServer((request, response) => {
    const { method = 'GET', url: target = '/', headers } = request;
    const noted: SiteRequest = { method, path: target, headers, closed: false };
    requests.push(noted);
    response.on('close', () => (noted.closed = true));
    const url = new URL(target, `http://${headers.host ?? '127.0.0.1'}`);
    const own = served.get(url.pathname);
    const page = pages[url.pathname];
    // A client that goes away mid-answer is usual here.
    response.on('error', () => {});
    if (own?.contentType !== undefined)
      response.writeHead(200, { 'content-type': own.contentType }).end(own.text);
    else if (own !== undefined) sendHtml(response, own.text);
    else if (page) page({ request, response, url });
    else if (url.pathname === '/') sendHtml(response, listPages());
    else sendHtml(response, '<title>Not found</title><h1>404: no such page</h1>', 404);
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> => closeServer(server);
  return {
    origin: `http://${address}:${port}`,
    port,
    requests,
    hits: (path) => requests.filter((one) => one.path.split('?')[0] === path).length,
    serve: (path, text, contentType) => void served.set(path, { text, contentType }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function listPages(): string {
  const links = Object.keys(pages).map((path) => `<li><a href="${path}">${path}</a></li>`);
  return `<title>Fixture site</title><h1>Fixture site</h1><ul>${links.join('')}</ul>`;
}

async function closeServer(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
