import { execFile } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { createEgressDoor } from '../../src/shared/egress/door.ts';
import type { EgressDoor } from '../../src/shared/egress/types.ts';
import { startOrigin, startRawOrigin } from '../support/egress-origin.ts';

/** Media that lead to where nothing may arrive, and a door that opens nothing but their own server. */
export interface MediaSite extends AsyncDisposable {
  origin: string;
  door: EgressDoor;
  /** Connections to the canary so far. */
  canaryHits(): number;
  rtspUrl: string;
  /** Nobody listens there but who plays `/stream.sdp`. */
  rtpPort: number;
  /** The fragment of a URL that tells yt-dlp to take the canary for its proxy. */
  smuggledProxy: string;
}

const playlist = (segment: string): string =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${segment}\n#EXT-X-ENDLIST\n`;
const page = (source: string): string =>
  `<!doctype html><title>A clip</title><video src="${source}"></video>`;

export async function startMediaSite(ffmpeg: string): Promise<MediaSite> {
  const folder = await mkdtemp(join(tmpdir(), 'quarry-clips-'));
  const clip = join(folder, 'clip.ts');
  const make = ['-f', 'lavfi', '-i', 'testsrc=size=160x120:rate=5:duration=1', '-c:v', 'mpeg2video', clip];
  await promisify(execFile)(ffmpeg, ['-hide_banner', '-nostdin', ...make]);
  const bytes = await readFile(clip);

  const canary = await startRawOrigin((socket) => socket.destroy());
  const rtpPort = await freeUdpPort();
  const rtspUrl = `rtsp://127.0.0.1:${canary.port}/live`;
  const order = { http_headers: { 'Ytdl-request-proxy': `http://127.0.0.1:${canary.port}` } };
  const smuggledProxy = `#__youtubedl_smuggle=${encodeURIComponent(JSON.stringify(order))}`;
  const answers: Record<string, [type: string, body: string | Buffer]> = {
    '/clip.ts': ['video/mp2t', bytes],
    '/open.m3u8': ['application/vnd.apple.mpegurl', playlist('clip.ts')],
    '/open-page': ['text/html', page('/open.m3u8')],
    '/loopback.m3u8': ['application/vnd.apple.mpegurl', playlist(`http://127.0.0.1:${canary.port}/a.ts`)],
    '/passwd.m3u8': ['application/vnd.apple.mpegurl', playlist('file:///etc/passwd')],
    '/local-file.m3u8': ['application/vnd.apple.mpegurl', playlist(`file://${clip}`)],
    '/page': ['text/html', page(`http://127.0.0.1:${canary.port}/live.m3u8`)],
    '/stream.sdp': [
      'application/sdp',
      `v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\ns=Live\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\n` +
        `m=video ${rtpPort} RTP/AVP 96\r\na=rtpmap:96 H264/90000\r\n`,
    ],
  };
  const redirects: Record<string, string> = {
    '/to-rtsp': rtspUrl,
    '/to-smuggled': `/open-page${smuggledProxy}`,
  };
  const origin = await startOrigin((request, response) => {
    const path = request.url ?? '/';
    const [type, body] = answers[path] ?? [];
    const location = redirects[path];
    if (location !== undefined) response.writeHead(302, { location }).end();
    else if (type !== undefined) response.writeHead(200, { 'content-type': type }).end(body);
    else response.writeHead(404).end();
  });
  const door = createEgressDoor({ allow: [`127.0.0.1:${origin.port}`] });
  return {
    origin: origin.url.slice(0, -1),
    door,
    canaryHits: () => canary.connections,
    rtspUrl,
    rtpPort,
    smuggledProxy,
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]();
      await origin[Symbol.asyncDispose]();
      await canary[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}
