import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  /** Origin of the server, on loopback. */
  url: string;
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}

function textOf({ url, method, path, headers = {}, body = '' }: Load): string {
  const lines = Object.entries({ Host: new URL(url).host, 'Content-Length': `${body.length}`, ...headers });
  return `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** One answer after the other on one connection; an HTTP library would cost more than what is measured. */
function readAnswers(socket: Socket, onAnswer: (status: number) => void): void {
  let received = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    received += chunk;
    for (;;) {
      const headEnd = received.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1] ?? Number.NaN);
      if (Number.isNaN(length))
        throw new Error(`An answer without Content-Length: ${received.slice(0, 500)}`);
      if (received.length < headEnd + 4 + length) return;
      const status = Number(received.slice(9, 12));
      received = received.slice(headEnd + 4 + length);
      onAnswer(status);
    }
  });
}

/**
 * Requests a second, with one request under way on each of `connections`, which share the loads out between them.
 * @throws Error for an answer with another status than `expected`.
 */
export async function requestRate(
  loads: readonly Load[],
  { connections, seconds, expected = 200 }: { connections: number; seconds: number; expected?: number },
): Promise<number> {
  const texts = loads.map(textOf);
  const { port } = new URL(loads[0]?.url ?? '');
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ host: '127.0.0.1', port: Number(port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  let answers = 0;
  let wrong: number | undefined;
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    sockets.map(async (socket, n) => {
      const text = texts[n % texts.length] ?? '';
      readAnswers(socket, (status) => {
        if (status !== expected) wrong = status;
        answers += 1;
        if (performance.now() < end && wrong === undefined) socket.write(text);
        else socket.destroy();
      });
      socket.write(text);
      await once(socket, 'close');
    }),
  );
  if (wrong !== undefined) throw new Error(`${loads[0]?.path} answered ${wrong}, not ${expected}`);
  return (answers * 1_000) / (performance.now() - start);
}
