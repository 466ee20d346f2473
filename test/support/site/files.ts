import { crc32, deflateSync } from 'node:zlib';

import type { SitePage } from './page.ts';

/** What is no HTML. */
export const filePages: Record<string, SitePage> = {
  '/image.png': ({ response }) => {
    response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
  },
  /** The picture, after a while. */
  '/late-image.png': ({ response }) => {
    setTimeout(() => response.writeHead(200, { 'content-type': 'image/png' }).end(picture), 700);
  },
  /** The picture, with more than a hundred megabytes behind its end. */
  '/large-image': ({ response }) => {
    response.writeHead(200, { 'content-type': 'image/png' }).write(picture);
    const padding = Buffer.alloc(1024 * 1024);
    let left = 110;
    const send = (): void => {
      while (left-- > 0) if (!response.write(padding)) return void response.once('drain', send);
      response.end();
    };
    send();
  },
  '/data.json': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"slate":"blue","tons":12}');
  },
  '/text.txt': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('Plain text, one line.\n');
  },
  '/picture.svg': ({ response }) => {
    response
      .writeHead(200, { 'content-type': 'image/svg+xml' })
      .end(
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="90" height="60" fill="teal"/></svg>',
      );
  },
  '/attachment': ({ response }) => {
    response
      .writeHead(200, {
        'content-type': 'text/html',
        'content-disposition': 'attachment; filename="../../escape.html"',
        'content-length': '11',
      })
      .end('<h1>no</h1>');
  },
  '/archive.zip': ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/zip', 'content-length': '22' });
    response.end(Buffer.from('PK\u0005\u0006'.padEnd(22, '\0'), 'latin1'));
  },
};

/** 200 × 100 pixels, orange, as an uncomplicated PNG. */
const picture = makePng(200, 100, [255, 140, 0]);

export function makePng(width: number, height: number, [red, green, blue]: [number, number, number]): Buffer {
  const row = Buffer.concat([
    Buffer.from([0]),
    ...Array.from({ length: width }, () => Buffer.from([red, green, blue])),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // 8 bits a channel, RGB.
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, checksum]);
}
