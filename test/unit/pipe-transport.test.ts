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

test('an event that is long is passed over, unless it is of a document, in however many parts it comes', async () => {
  const fromBrowser = new PassThrough();
  const transport = new PipeTransport(new PassThrough(), fromBrowser, { hearsConsole: false });
  const heard: string[] = [];
  Object.assign(transport, { onmessage: (message: string) => heard.push(message) });
  const long = 'x'.repeat(100_000);
  const network = (method: string, loaderId: string) =>
    `{"method":"Network.${method}","params":{"requestId":"7.1","loaderId":"${loaderId}","documentURL":"`;
  const ofDocument = network('requestWillBeSent', '7.1');
  const ofImage = network('requestWillBeSent', '7');
  const kept = [
    `${ofImage}${long}"}}`,
    `${ofDocument}${long.repeat(100)}"}}`,
    `${network('responseReceived', '7.1')}${long.repeat(4)}"}}`,
    `{"method":"Network.responseReceivedExtraInfo","params":{"requestId":"7.1","headers":"${long.repeat(4)}"}}`,
    `{"method":"Page.frameNavigated","params":"${long.repeat(14)}"}`,
    `{"method":"Page.javascriptDialogOpening","params":"${long.repeat(4)}"}`,
    `{"method":"Fetch.requestPaused","params":{"requestId":"i.1","request":{"url":"data:${long.repeat(200)}"}}}`,
    `{"id":2,"result":"${long.repeat(200)}"}`,
  ];
  const passedOver = [
    `${ofImage}${long.repeat(3)}"}}`,
    `${network('responseReceived', '')}${long.repeat(3)}"}}`,
    `{"method":"Target.targetInfoChanged","params":"${long.repeat(3)}"}`,
    `{"method":"Page.javascriptDialogOpening","params":"${long.repeat(200)}"}`,
    `{"method":"Network.eventSourceMessageReceived","params":{}}`,
    `{"method":"Network.webSocketCreated","params":{}}`,
  ];
  const bytes = Buffer.from(
    [...passedOver, ...kept, ...passedOver].map((message) => `${message}\0`).join(''),
  );
  for (let at = 0; at < bytes.length; at += 65_536) fromBrowser.write(bytes.subarray(at, at + 65_536));
  await expect.poll(() => heard).toEqual(kept);
});

test('a request that carries more than a megabyte is refused, in its session, and never read', async () => {
  const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
  const transport = new PipeTransport(toBrowser, fromBrowser, { hearsConsole: true });
  const heard: string[] = [];
  Object.assign(transport, { onmessage: (message: string) => heard.push(message) });
  const paused = (id: number, body: string) =>
    `{"method":"Fetch.requestPaused","params":{"requestId":"interception-job-${id}.0","request":{"url":"https://a.example/",` +
    `"method":"POST","postData":"${body}"},"frameId":"F"},"sessionId":"S${id}"}`;
  const small = paused(1, 'x'.repeat(100_000));
  const bytes = Buffer.from(`${small}\0${paused(2, 'x'.repeat(1_100_000))}\0{"id":7}\0`);
  for (let at = 0; at < bytes.length; at += 65_536) fromBrowser.write(bytes.subarray(at, at + 65_536));
  await expect.poll(() => heard).toEqual([small, '{"id":7}']);
  const [sent = ''] = String(toBrowser.read()).split('\0');
  expect(JSON.parse(sent)).toEqual({
    id: expect.any(Number),
    method: 'Fetch.failRequest',
    params: { requestId: 'interception-job-2.0', errorReason: 'Aborted' },
    sessionId: 'S2',
  });
});

test.each([1, 50, 199, 201])(
  'its session is found where the last %i bytes of it come alone',
  async (last) => {
    const [toBrowser, fromBrowser] = [new PassThrough(), new PassThrough()];
    const transport = new PipeTransport(toBrowser, fromBrowser, { hearsConsole: false });
    const paused = Buffer.from(
      `{"method":"Fetch.requestPaused","params":{"requestId":"i.1","request":{"url":"https://a.example/","postData":"${'x'.repeat(2_000_000)}"}},"sessionId":"S1"}`,
    );
    fromBrowser.write(paused.subarray(0, -last));
    fromBrowser.write(Buffer.concat([paused.subarray(-last), Buffer.from('\0')]));
    await expect.poll(() => String(toBrowser.read())).toContain('"sessionId":"S1"');
    transport.close();
  },
);
