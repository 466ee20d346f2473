import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { PipeTransport } from '../../src/workers/browser/pipe-transport.ts';

test('a message that no text could hold closes the pipe, and leaves the process alone', async () => {
  const fromBrowser = new PassThrough();
  const transport = new PipeTransport(new PassThrough(), fromBrowser, { hearsConsole: false });
  const heard: string[] = [];
  const closed = new Promise<void>((onclose) => {
    Object.assign(transport, { onclose, onmessage: (message: string) => heard.push(message) });
  });
  fromBrowser.write('{"id":1}\0');
  // The same bytes again and again: nothing of it is copied.
  const part = Buffer.alloc(64 * 1024 * 1024, 'x');
  for (let sent = 0; sent < 8; sent++) fromBrowser.write(part);
  fromBrowser.write('\0');
  await closed;
  // Messages have a turn of their own.
  await new Promise((resolve) => setImmediate(resolve));
  expect(heard).toEqual(['{"id":1}']);
});
