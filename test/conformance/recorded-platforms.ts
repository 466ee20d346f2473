import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

import { type Origin, startOrigin } from '../support/egress-origin.ts';

interface Exchange {
  request: { method: string; url: string; body: string | null };
  response: { status: number; contentType: string; body: string };
}

interface Asked {
  context?: { client?: { clientName?: string } };
  videoId?: string;
  playerRequest?: { videoId?: string };
  continuation?: string;
  query?: string;
}

/** What an InnerTube request is about; the client kinds differ in how they say it. */
function subjectOf(body: Asked): string {
  return body.videoId ?? body.playerRequest?.videoId ?? body.continuation ?? body.query ?? '';
}

const endpointOf = (path: string): string => path.split('?')[0]?.split('/').at(-1) ?? '';

async function readExchanges(folder: string): Promise<Exchange[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.json.gz'));
  const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
  return files.flatMap((file) => JSON.parse(gunzipSync(file).toString()) as Exchange[]);
}

/** Answers as YouTube and PeerTube once did: by endpoint and video, whatever the rest of the request says. */
export async function startRecordedPlatforms(sharedFolder: string): Promise<Origin> {
  const youtube = await readExchanges(join(sharedFolder, 'recorded', 'youtube'));
  const peertube = await readExchanges(join(sharedFolder, 'recorded', 'peertube'));

  function findYoutube(path: string, body: Asked): Exchange | undefined {
    const fitting = youtube.filter(({ request }) => {
      const recorded = JSON.parse(request.body ?? '{}') as Asked;
      return endpointOf(request.url) === endpointOf(path) && subjectOf(recorded) === subjectOf(body);
    });
    const client = body.context?.client?.clientName;
    const ofClient = fitting.find(
      ({ request }) => (JSON.parse(request.body ?? '{}') as Asked).context?.client?.clientName === client,
    );
    return ofClient ?? fitting[0];
  }

  function findPeertube(path: string): Exchange | undefined {
    const [place, query = ''] = path.split('?');
    const start = new URLSearchParams(query).get('start');
    return peertube.find(({ request }) => {
      const url = new URL(request.url);
      return aliasOf(url.pathname) === aliasOf(place ?? '') && url.searchParams.get('start') === start;
    });
  }

  return await startOrigin((request: IncomingMessage, response) => {
    void text(request).then((body) => {
      const path = request.url ?? '/';
      const found =
        request.method === 'POST' ? findYoutube(path, JSON.parse(body) as Asked) : findPeertube(path);
      if (found === undefined)
        return response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
      const { status, contentType, body: answer } = found.response;
      return response.writeHead(status, { 'content-type': contentType }).end(answer);
    });
  });
}

/** The comments were asked by the short form of the same id. */
const aliasOf = (path: string): string =>
  path.replace('kkGMgK9ZtnKfYAgnEtQxbv', '9c9de5e8-0a1e-484a-b099-e80766180a6d');
