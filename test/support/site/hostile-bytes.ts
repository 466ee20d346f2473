import type { ServerResponse } from 'node:http';
import { brotliCompressSync, constants, createGzip, gzipSync, zstdCompressSync } from 'node:zlib';

import { sendHtml, type SitePage } from './page.ts';

const mebibyte = 1024 * 1024;
/** Characters: with all else less than Chromium's bound. */
const longHeader = 240_000;

/** Pages that do harm by how they are sent. */
export const hostileBytePages: Record<string, SitePage> = {
  '/huge-body': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<!doctype html><title>Huge</title><h1>Huge</h1>');
    pour(response, Buffer.alloc(256 * 1024, 'text '), 10 * 1024 * mebibyte);
  },
  /** A few kilobytes on the wire, gigabytes once unpacked: `?as=` gzip, br, zstd or nested. */
  '/bomb': ({ response, url }) => {
    const as = url.searchParams.get('as') ?? 'gzip';
    response.writeHead(200, {
      'content-type': 'text/html',
      'content-encoding': as === 'nested' ? 'gzip, gzip' : as,
    });
    if (as === 'gzip') bombGzip(response);
    else response.end(bombs[as]?.() ?? '');
  },
  '/length-too-large': ({ response }) => {
    endRaw(
      response,
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 5000\r\n\r\n<title>Short</title>',
    );
  },
  '/length-too-small': ({ response }) => {
    endRaw(
      response,
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 20\r\n\r\n<title>Long</title><p>more than was announced</p>',
    );
  },
  '/raw-status': ({ response, url }) => {
    const code = url.searchParams.get('code') ?? '999';
    endRaw(
      response,
      `HTTP/1.1 ${code} Odd\r\nContent-Type: text/html\r\nContent-Length: 18\r\n\r\n<title>Odd</title>`,
    );
  },
  '/early-hints': ({ response }) => {
    const page = '<!doctype html><title>After the hints</title><h1>Here</h1>';
    endRaw(
      response,
      'HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n'.repeat(100) +
        `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${page.length}\r\nConnection: close\r\n\r\n${page}`,
    );
  },
  '/cookie-flood': ({ response }) => {
    response.setHeader(
      'set-cookie',
      Array.from({ length: 5_000 }, (_, index) => `c${index}=${index}`),
    );
    sendHtml(response, '<title>Cookies</title><h1>Five thousand cookies</h1>');
  },
  /** Headers that take a square of their length to be read, carelessly: `?in=` type, refresh or folded. */
  '/long-header': ({ response, url }) => {
    const page = '<!doctype html><title>Long header</title><h1>Here</h1>';
    const headers: Record<string, string> = {
      type: `Content-Type: text/html;${' '.repeat(longHeader)}x`,
      refresh: `Content-Type: text/html\r\nRefresh: ${'1'.repeat(longHeader)}x`,
      folded: `Content-Type: text/html\r\nX-Folded: b${'\n x'.repeat(longHeader / 3)}`,
    };
    const header = headers[url.searchParams.get('in') ?? 'type'] ?? headers['type'];
    endRaw(response, `HTTP/1.1 200 OK\r\n${header}\r\nConnection: close\r\n\r\n${page}`);
  },
  '/nul-bytes': ({ response }) => {
    sendHtml(response, '<title>Nul\0bytes</title><h1>Be\0fore</h1><p>After\0wards</p>');
  },
  '/invalid-utf8': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      Buffer.concat([
        Buffer.from('<title>Broken</title><p>a'),
        Buffer.from([0xff, 0xc3, 0x28]),
        Buffer.from('b</p>'),
      ]),
    );
  },
  /** The same greeting in an encoding that no header and no tag names: `?in=` shift_jis, gbk or windows-1251. */
  '/no-charset': ({ response, url }) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    const text = greetings[url.searchParams.get('in') ?? 'shift_jis'] ?? Buffer.alloc(0);
    response.end(
      Buffer.concat([
        Buffer.from('<!doctype html><title>Greeting</title><p>'),
        ...Array.from({ length: 12 }, () => text),
        Buffer.from('</p>'),
      ]),
    );
  },
};

function bombGzip(response: ServerResponse): void {
  const gzip = createGzip({ level: 9 });
  gzip.pipe(response);
  pour(gzip, Buffer.alloc(mebibyte), 10 * 1024 * mebibyte);
  response.on('close', () => gzip.destroy());
}

const zeros = (): Buffer => Buffer.alloc(256 * mebibyte, 'a');
let brotli: Buffer | undefined;
let zstd: Buffer | undefined;
let nested: Buffer | undefined;
const bombs: Record<string, () => Buffer> = {
  br: () => (brotli ??= brotliCompressSync(zeros(), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })),
  zstd: () => (zstd ??= zstdCompressSync(zeros())),
  nested: () => (nested ??= gzipSync(gzipSync(zeros(), { level: 1 }))),
};

/** Writes `sizeBytes` as fast as they are read. */
function pour(stream: NodeJS.WritableStream, part: Buffer, sizeBytes: number): void {
  let left = sizeBytes;
  const more = (): void => {
    while (left > 0) {
      left -= part.length;
      if (!stream.write(part)) return void stream.once('drain', more);
    }
    stream.end();
  };
  stream.on('error', () => (left = 0));
  more();
}

function endRaw(response: ServerResponse, bytes: string): void {
  response.socket?.end(bytes);
}

/** 「こんにちは世界」, 「你好，世界，欢迎光临」 and «Привет, мир» as those encodings write them. */
const greetings: Record<string, Buffer> = {
  shift_jis: Buffer.from('82b182f182c982bf82cd90a28a45', 'hex'),
  gbk: Buffer.from('c4e3bac3a3accac0bde7a3acbbb6d3adb9e2c1d9', 'hex'),
  'windows-1251': Buffer.from('cff0e8e2e5f22c20ece8f020e820e2f1e520ebfee4e820', 'hex'),
};
