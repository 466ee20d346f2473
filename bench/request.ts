import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Service } from '../test/support/service.ts';

/** Kept connections that no request is under way on, by the address of their service. */
const idle = new Map<string, Socket[]>();

async function openConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  socket.setEncoding('latin1');
  // Open for as long as the process, and no reason to go on.
  socket.unref();
  await once(socket, 'connect');
  return socket;
}

/** The whole answer, once it is there. Every answer of the service tells its length. */
function readAnswer(socket: Socket): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = '';
  const onClose = () => reject(new Error(`The connection was closed after: ${answer}`));
  const onData = (part: string) => {
    answer += part;
    const headEnd = answer.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(answer.slice(0, headEnd))?.[1]);
    if (answer.length < headEnd + 4 + length) return;
    socket.off('data', onData).off('close', onClose);
    resolve(answer);
  };
  socket.on('data', onData).once('close', onClose);
  return promise;
}

/**
 * POSTs to the service and reads the whole answer. Written by hand since the client shares the machine with what
 * is measured, and `fetch` and `node:http` cost a tenth of what a job costs the service.
 * @throws Error for any status but 200.
 */
export async function post(
  service: Pick<Service, 'url' | 'key'>,
  path: string,
  body: unknown,
): Promise<void> {
  const json = JSON.stringify(body);
  const kept = idle.get(service.url) ?? [];
  idle.set(service.url, kept);
  const socket = kept.pop() ?? (await openConnection(service.url));
  socket.ref();
  const answered = readAnswer(socket);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: ${new URL(service.url).host}\r\nX-API-Key: ${service.key}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
  );
  const answer = await answered;
  socket.unref();
  kept.push(socket);
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`${path} answered ${answer}`);
}
